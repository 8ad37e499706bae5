// Writes the pages of the repository to .pages, from where VitePress reads them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { collect, rewrite, root } from './pages.mjs'

const target = join(root, 'site/.pages')
rmSync(target, { recursive: true, force: true })
const pages = collect()

function write(place, text) {
  mkdirSync(dirname(join(target, place)), { recursive: true })
  writeFileSync(join(target, place), text)
}

for (const [page, { place, translation }] of pages) {
  write(place, rewrite(page, place, 'en', pages))
  const notice = '> 本页尚无中文版，以下是英文原文。\n\n'
  const chinese = rewrite(translation ?? page, `zh/${place}`, 'zh', pages)
  write(`zh/${place}`, translation ? chinese : chinese.replace(/^(# .*\n)/m, `$1\n${notice}`))
}
console.log(`${pages.size} pages, ${[...pages.values()].filter((page) => page.translation).length} of them in Chinese too`)

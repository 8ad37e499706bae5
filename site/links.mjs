// Looks at every link of the built pages: the file has to be there, and so has what is behind a '#'. Javadoc is only linked to, because
// the tool that makes it checks its own links.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const dist = resolve(process.argv[2])
const base = `${process.env.HOLDFAST_SITE_BASE ?? '/'}${dist.split('/').pop()}/`

const html = []
;(function walk(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      if (path !== join(dist, 'javadoc')) walk(path)
    } else if (path.endsWith('.html')) html.push(path)
  }
})(dist)

const anchors = new Map()
function anchorsOf(file) {
  if (!anchors.has(file)) anchors.set(file, new Set([...readFileSync(file, 'utf8').matchAll(/\sid="([^"]+)"/g)].map((found) => found[1])))
  return anchors.get(file)
}

const broken = []
let looked = 0
for (const page of html) {
  for (const [, link] of readFileSync(page, 'utf8').matchAll(/\s(?:href|src)="([^"]+)"/g)) {
    if (/^([a-z]+:|\/\/)/i.test(link)) continue
    looked++
    const [path, hash] = decodeURIComponent(link.replaceAll('&amp;', '&')).split('#')
    let file = path === '' ? page : path.startsWith(base) ? join(dist, path.slice(base.length)) : path.startsWith('/') ? undefined : resolve(dirname(page), path)
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html')
    if (!file || !existsSync(file)) broken.push(`${page.slice(dist.length + 1)}: ${link} leads nowhere`)
    else if (hash && file.endsWith('.html') && !anchorsOf(file).has(hash)) broken.push(`${page.slice(dist.length + 1)}: ${link} has no such heading`)
  }
}
for (const one of broken) console.error(`site: ${one}`)
console.log(`${looked} links on ${html.length} pages, ${broken.length} broken`)
if (html.length === 0 || broken.length > 0) process.exit(1)

// Where each page of the repository stands on the site, and how its links are written there. No page is written for the site alone:
// all of them come from the repository, so they are checked by testing/docs.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const version = readFileSync(join(root, 'bom/pom.xml'), 'utf8').match(/<version>([^<]+)</)[1]
const source = process.env.HOLDFAST_SOURCE_URL

/** The sidebar, by what a reader wants; every page of docs/ stands in it, which `collect` makes sure of. */
export const sections = [
  { en: 'Begin', zh: '入门', pages: ['README.md', 'docs/getting-started.md', 'docs/spring.md', 'docs/demos.md', 'docs/do-you-need-a-lock.md'] },
  { en: 'Use', zh: '使用', pages: ['docs/choosing-a-store.md', 'docs/guarantees.md', 'docs/fencing.md', 'docs/hand-off.md', 'docs/troubleshooting.md', 'docs/messages.md', 'docs/migration.md', 'docs/from-shedlock.md'] },
  { en: 'Command line and server', zh: '命令行与服务器', pages: ['docs/cli.md', 'docs/recipes.md', 'docs/server.md', 'docs/clients.md', 'docs/console.md'] },
  { en: 'Stores', zh: '存储', directory: 'docs/stores' },
  { en: 'How it is tested', zh: '如何验证', pages: ['docs/proof.md', 'docs/threats.md', 'docs/properties.md', 'docs/models/README.md', 'docs/benchmarks.md'] },
  { en: 'The project', zh: '项目', pages: ['CONTRIBUTING.md', 'docs/code-map.md', 'ARCHITECTURE.md', 'docs/decisions/README.md', 'docs/releasing.md', 'SECURITY.md', 'CHANGELOG.md', 'docs/README.md'] },
]

function markdownIn(directory) {
  return readdirSync(join(root, directory))
    .map((name) => posix.join(directory, name))
    .flatMap((name) => (statSync(join(root, name)).isDirectory() ? markdownIn(name) : name.endsWith('.md') ? [name] : []))
}

/** The path of a page on the site, without language: README.md is index.md, docs/stores/etcd.md is stores/etcd.md. */
export function place(page) {
  if (page === 'README.md') return 'index.md'
  if (page === 'docs/README.md') return 'pages.md'
  const path = page.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')
  return page.startsWith('docs/') ? path : path.toLowerCase()
}

/** What a heading is called in links, as GitHub calls it and testing/docs checks it. */
export function slug(heading) {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replace(/ /g, '-')
}

/** What the headings of a page are called in links, in order; a translation has as many. */
function slugs(page) {
  let code = false
  return readFileSync(join(root, page), 'utf8')
    .split('\n')
    .filter((line) => {
      if (line.startsWith('```')) code = !code
      return !code && /^#{1,6} /.test(line)
    })
    .map((line) => slug(line.replace(/^#+ +/, '')))
}

export function title(page) {
  return readFileSync(join(root, page), 'utf8')
    .match(/^# (.*)$/m)[1]
    .replace(/`/g, '')
}

/** All pages in English, by their place, with their translation if there is one. */
export function collect() {
  const pages = new Map()
  for (const section of sections) {
    section.pages = (section.pages ?? markdownIn(section.directory).filter((page) => !page.endsWith('.zh-CN.md'))).filter((page) =>
      existsSync(join(root, page)),
    )
  }
  const decisions = markdownIn('docs/decisions').filter((page) => !page.endsWith('/README.md'))
  for (const page of [...sections.flatMap((section) => section.pages), ...decisions]) {
    const translation = page.replace(/\.md$/, '.zh-CN.md')
    pages.set(page, { place: place(page), translation: existsSync(join(root, translation)) ? translation : undefined })
  }
  const lost = markdownIn('docs').filter((page) => !page.endsWith('.zh-CN.md') && !pages.has(page))
  if (lost.length > 0) throw new Error(`site: these pages stand in no section of site/pages.mjs: ${lost.join(', ')}`)
  return pages
}

/** The text of a page with links as they are on the site. Links to what is no page lead to the source, or are only text. */
export function rewrite(page, place, language, pages) {
  let text = readFileSync(join(root, page), 'utf8')
  // Each language has the switch at the top of the site for this.
  text = text.replace(/^\*(English|中文|中文说明)[:：].*\*\n\n?/m, '')
  let code = false
  return text
    .split('\n')
    .map((line) => {
      if (/^ {0,3}```/.test(line)) code = !code
      return code ? line : line.replace(/(`[^`]*`)|(!?)\[((?:[^\[\]]|`[^`]*`)*)\]\(([^()\s]+)\)/g, (all, span, image, label, target) => (span ? all : link(image, label, target)))
    })
    .join('\n')

  function link(image, label, target) {
    if (/^[a-z]+:/.test(target) || target.startsWith('#')) return `${image}[${label}](${target})`
    const [path, anchor] = target.split('#')
    const file = posix.normalize(posix.join(posix.dirname(page), path)).replace(/\/$/, '')
    let suffix = anchor ? `#${anchor}` : ''
    if (image) return `![${label}](${relative(join(root, 'site/.pages', dirname(place)), join(root, file))})`
    const english = [file, `${file}/README.md`].map((name) => name.replace('.zh-CN.md', '.md')).find((name) => pages.has(name))
    if (english) {
      const to = language === 'zh' ? `zh/${pages.get(english).place}` : pages.get(english).place
      // A page that is not translated yet links to headings of pages that are.
      const translation = pages.get(english).translation
      if (language === 'zh' && translation && anchor && !page.endsWith('.zh-CN.md')) {
        suffix = `#${slugs(translation)[slugs(english).indexOf(anchor)]}`
      }
      return `[${label}](${posix.relative(posix.dirname(place), to)}${suffix})`
    }
    if (file === 'docs/stores') return `[${label}](${posix.relative(posix.dirname(place), `${language === 'zh' ? 'zh/' : ''}choosing-a-store.md`)})`
    return source ? `[${label}](${source}/${file}${suffix})` : label
  }
}

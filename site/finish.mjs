// Writes what belongs to no single page: the list of versions, the way from the root to the latest one, and the index of the Javadoc.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pages.mjs'

const dist = join(root, 'site/dist')
const version = process.argv[2]

const numbers = (name) => name.split(/[.-]/).map((part) => (/^\d+$/.test(part) ? Number(part) : -1))
function newestFirst(one, other) {
  const [a, b] = [numbers(one), numbers(other)]
  for (let i = 0; i < Math.max(a.length, b.length); i++) if ((a[i] ?? 0) !== (b[i] ?? 0)) return (b[i] ?? 0) - (a[i] ?? 0)
  return 0
}
const versions = readdirSync(dist, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /^\d/.test(entry.name))
  .map((entry) => entry.name)
  .sort(newestFirst)
writeFileSync(join(dist, 'versions.json'), JSON.stringify(versions))

// The latest release; a snapshot only if there is no release.
const latest = versions.find((name) => !name.includes('SNAPSHOT')) ?? versions[0]
const page = (title, head, body) =>
  `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n` +
  `<meta name="color-scheme" content="light dark">\n<title>${title}</title>\n${head}</head>\n<body>\n${body}</body>\n</html>\n`
writeFileSync(
  join(dist, 'index.html'),
  page('Holdfast', `<meta http-equiv="refresh" content="0; url=${latest}/index.html">\n`, `<p><a href="${latest}/index.html">Holdfast ${latest}</a></p>\n`),
)

const javadoc = join(dist, version, 'javadoc')
const modules = readdirSync(javadoc, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(javadoc, entry.name, 'index.html')))
  .map((entry) => entry.name)
const list =
  modules.length === 0
    ? '<p>This copy was built without Javadoc (<code>--no-javadoc</code>).</p>\n'
    : `<ul>\n${modules.map((name) => `<li><a href="${name}/index.html">${name}</a></li>\n`).join('')}</ul>\n`
writeFileSync(
  join(javadoc, 'index.html'),
  page(
    `Javadoc of Holdfast ${version}`,
    '<style>body { font-family: system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em; line-height: 1.7; }</style>\n',
    `<h1>Javadoc of Holdfast ${version}</h1>\n${list}<p><a href="../index.html">Documentation</a></p>\n`,
  ),
)

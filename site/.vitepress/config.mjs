import { defineConfig } from 'vitepress'
import { collect, sections, slug, title, version } from '../pages.mjs'

const pages = collect()
const base = `${process.env.HOLDFAST_SITE_BASE ?? '/'}${version}/`

function sidebar(language) {
  return sections.map((section, i) => ({
    text: section[language],
    collapsed: i > 2,
    items: section.pages.map((page) => {
      const { place, translation } = pages.get(page)
      const heading = title(language === 'zh' && translation ? translation : page)
      return { text: heading, link: `/${language === 'zh' ? 'zh/' : ''}${place.replace(/(index)?\.md$/, '')}` }
    }),
  }))
}

// Words of Chinese are found by the segmenter of the browser, and of node when the index is made. Must not use anything from outside:
// it is sent to the browser as text.
const tokenize = (text) => {
  const words = []
  for (const { segment, isWordLike } of new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)) if (isWordLike) words.push(segment)
  return words
}

const nav = (language) => [
  { text: language === 'zh' ? '快速入门' : 'Getting started', link: `/${language === 'zh' ? 'zh/' : ''}getting-started` },
  { text: 'Javadoc', link: '/javadoc/index.html', target: '_self', rel: '' },
  { component: 'VersionSwitch', props: { version, base: process.env.HOLDFAST_SITE_BASE ?? '/' } },
]

export default defineConfig({
  title: 'Holdfast',
  description: 'Distributed locks for Java that tell you when they are lost, with a fencing token for every grant.',
  base,
  srcDir: '.pages',
  outDir: `dist/${version}`,
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { anchor: { slugify: slug }, toc: { slugify: slug }, headers: { slugify: slug } },
  // Links to Javadoc leave the site of VitePress; build-tools/site checks all links of the result.
  ignoreDeadLinks: [/javadoc\/index/],
  locales: {
    root: { label: 'English', lang: 'en' },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '面向 Java 的分布式锁：锁丢失时会通知你，每次加锁都带有栅栏令牌。',
      themeConfig: {
        nav: nav('zh'),
        sidebar: sidebar('zh'),
        outline: { label: '本页内容', level: [2, 3] },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        lightModeSwitchTitle: '切换到浅色',
        darkModeSwitchTitle: '切换到深色',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '切换语言',
        notFound: { title: '没有这一页', quote: '也许它已改名，请使用搜索或目录。', linkText: '回到首页', linkLabel: '回到首页' },
      },
    },
  },
  themeConfig: {
    nav: nav('en'),
    sidebar: sidebar('en'),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: { tokenize } },
        locales: {
          zh: {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
              modal: {
                displayDetails: '显示详情',
                resetButtonTitle: '清除',
                backButtonTitle: '关闭',
                noResultsText: '没有找到',
                footer: { selectText: '选择', navigateText: '移动', closeText: '关闭' },
              },
            },
          },
        },
      },
    },
  },
})

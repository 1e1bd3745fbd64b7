import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { writeMarkdown } from '@tollbook/extract/document/write-markdown'
import { parseTree } from '@tollbook/extract/html-tree'
import { printFigure, type Suite } from './suite.ts'

/** The part of the package `commonmark` that is used. */
type Commonmark = {
  readonly Parser: new () => { parse(markdown: string): Root }
  readonly HtmlRenderer: new () => { render(root: Root): string }
}
type Root = { walker(): { next(): { readonly node: { readonly type: string } } | null } }

/**
 * Converts the HTML of the specification's examples to Markdown and back; the resulting HTML must be the
 * same.
 */
export const commonmark: Suite = {
  name: 'commonmark',
  summary:
    'examples of the CommonMark specification without raw HTML, converted from HTML to Markdown and back',
  async run({ folder }) {
    const spec = await readFile(join(folder, 'commonmark-spec', 'spec.txt'), 'utf8')
    const judge = pathToFileURL(resolve(folder, 'node_modules/commonmark/lib/index.js'))
    const { Parser, HtmlRenderer } = (await import(judge.href)) as Commonmark
    const render = (markdown: string) => new HtmlRenderer().render(new Parser().parse(markdown))
    const examples = readExamples(spec)
      .filter((markdown) => !hasRawHtml(new Parser().parse(markdown)))
      .map(render)
    const count = (convert: (html: string) => string) =>
      examples.filter((html) => tidy(render(convert(html))) === tidy(html)).length
    const figure = 'examples that come back as they were'
    const peer = await loadPeer(folder)
    printFigure({
      suite: 'commonmark',
      figure,
      value: count(toMarkdown),
      of: examples.length,
      ...(peer ? { published: { turndown: count(peer) } } : {}),
    })
  },
}

function toMarkdown(html: string): string {
  return writeMarkdown(readBlocks(parseTree(html), { includeLinks: true, includeImages: true }))
}

/** The most widely used converter, measured next to ours if it is installed. */
async function loadPeer(folder: string): Promise<((html: string) => string) | null> {
  const file = resolve(folder, 'node_modules/turndown/lib/turndown.cjs.js')
  if (!existsSync(file)) return null
  const { default: Turndown } = (await import(pathToFileURL(file).href)) as TurndownModule
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
  return (html) => service.turndown(html)
}

/** The part of the package `turndown` that is used. */
type TurndownModule = {
  readonly default: new (options: Readonly<Record<string, string>>) => { turndown(html: string): string }
}

/** The Markdown of each example; an arrow represents a tab. */
function readExamples(spec: string): string[] {
  const examples = spec.matchAll(/^`{32} example\n([\s\S]*?)^\.\n[\s\S]*?^`{32}$/gm)
  return [...examples].map(([, markdown = '']) => markdown.replaceAll('→', '\t'))
}

function hasRawHtml(root: Root): boolean {
  const walker = root.walker()
  for (let step = walker.next(); step !== null; step = walker.next())
    if (step.node.type.startsWith('html_')) return true
  return false
}

const BLOCK_TAG = / ?(<\/?(?:p|h[1-6]|ul|ol|li|blockquote|hr ?\/?|br ?\/?)[^>]*>) ?/g

/** Without the white space that HTML does not show, removed as in `normalize.py` of the specification. */
function tidy(html: string): string {
  return html
    .split(/(<pre[\s\S]*?<\/pre>)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/\s+/g, ' ').replace(BLOCK_TAG, '$1')))
    .join('')
    .trim()
}

import type { Block, Inline } from '@tollbook/extract/document/block'

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\S\n]*([^\s`]*)/
const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/

/**
 * Reads Markdown into headings, fenced code and paragraphs (CommonMark, 4.2, 4.5). Everything inside of a paragraph
 * stays as it is written, with its line breaks: lists, tables, links and emphasis.
 */
export function readMarkdown(text: string): {
  readonly title: string | null
  readonly blocks: readonly Block[]
} {
  const blocks: Block[] = []
  let title: string | null = null
  let lines: string[] = []
  const asIs = (part: string): Inline[] => [{ kind: 'verbatim', text: part }]
  const endParagraph = () => {
    const paragraph = lines.join('\n').trimEnd()
    if (paragraph.trim() !== '') blocks.push({ kind: 'paragraph', content: asIs(paragraph) })
    lines = []
  }
  let code: { readonly mark: string; readonly language: string; readonly lines: string[] } | null = null
  const endCode = () => {
    if (code) blocks.push({ kind: 'code', language: code.language, text: code.lines.join('\n') })
    code = null
  }
  for (const line of withoutFrontMatter(text).split('\n')) {
    const fence = FENCE.exec(line)
    if (code) {
      const { mark } = code
      if (fence?.[1]?.startsWith(mark) && line.trim() === fence[1]) endCode()
      else code.lines.push(line)
      continue
    }
    const heading = HEADING.exec(line)
    if (fence || heading || line.trim() === '') endParagraph()
    if (fence) code = { mark: fence[1] ?? '', language: fence[2] ?? '', lines: [] }
    else if (heading) {
      const level = (heading[1]?.length ?? 1) as 1 | 2 | 3 | 4 | 5 | 6
      const name = line
        .slice(heading[0].length)
        .trim()
        .replace(/(?:^|\s)#+$/, '')
        .trim()
      title ??= name
      blocks.push({ kind: 'heading', level, content: asIs(name) })
    } else if (line.trim() !== '') lines.push(line)
  }
  endCode()
  endParagraph()
  return { title, blocks }
}

/** Metadata between two lines of three hyphens is not content. */
function withoutFrontMatter(text: string): string {
  const clean = text.replace(/\r\n?/g, '\n')
  if (!clean.startsWith('---\n')) return clean
  const end = clean.indexOf('\n---\n', 3)
  return end === -1 ? clean : clean.slice(end + 5)
}

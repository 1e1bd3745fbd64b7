import type { Block } from './block.ts'
import { escapeLineStart } from './escape-markdown.ts'
import { writeInlines } from './write-inline.ts'

/**
 * Writes blocks as CommonMark with GitHub's tables, strikethrough and task lists. Headings use `#`, code is
 * fenced, bullets are `-`; raw HTML is never written.
 */
export function writeMarkdown(blocks: readonly Block[]): string {
  return `${writeBlocks(blocks).join('\n')}\n`.replace(/^\n$/, '')
}

/** Joins blocks with blank lines; adjacent lists alternate their markers. */
function writeBlocks(blocks: readonly Block[], isTight = false): string[] {
  const lines: string[] = []
  let alternate = false
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1]
    const followsList = block.kind === 'list' && before?.kind === 'list'
    alternate = followsList && (block.start === null) === (before.start === null) ? !alternate : false
    if (before !== undefined && !(isTight && mayFollow(before, block))) lines.push('')
    for (const line of writeBlock(block, alternate)) lines.push(line)
  }
  return lines
}

/** Whether a block may follow another without a blank line, which would make a tight list loose. */
function mayFollow(before: Block, block: Block): boolean {
  if (before.kind === 'heading' || before.kind === 'code' || before.kind === 'rule') return true
  if (before.kind === 'quote') return block.kind === 'code' || block.kind === 'heading'
  if (before.kind !== 'paragraph') return false
  // Only a list that starts at 1 may interrupt a paragraph (CommonMark, 5.2).
  if (block.kind === 'list') return (block.start ?? 1) === 1
  return block.kind === 'quote' || block.kind === 'code' || block.kind === 'heading' || block.kind === 'rule'
}

function writeBlock(block: Block, alternate: boolean): string[] {
  switch (block.kind) {
    case 'paragraph': {
      const lines = writeInlines(block.content).split('\n')
      // A paragraph of a Markdown document.
      return block.content.every(({ kind }) => kind === 'verbatim') ? lines : lines.map(escapeLineStart)
    }
    case 'heading':
      return [`${'#'.repeat(block.level)} ${closeHeading(writeInlines(block.content))}`.trimEnd()]
    case 'rule':
      // Cannot be parsed as a heading underline or a bullet in any position.
      return ['___']
    case 'code':
      return writeCode(block)
    case 'quote':
      if (block.blocks.length === 0) return ['>']
      return writeBlocks(block.blocks).map((line) => (line === '' ? '>' : `> ${line}`))
    case 'list':
      return writeList(block, alternate)
    case 'table':
      return writeTable(block)
    default:
      return block satisfies never
  }
}

/** A trailing run of `#` would be parsed as the closing sequence. */
function closeHeading(text: string): string {
  return text.replace(/\n/g, ' ').replace(/(^|\s)(#+)$/, '$1\\$2')
}

function writeCode({ language, text }: Extract<Block, { kind: 'code' }>): string[] {
  let maxRun = 2
  for (const [run] of text.matchAll(/`{3,}/g)) maxRun = Math.max(maxRun, run.length)
  const fence = '`'.repeat(maxRun + 1)
  const info = language.replace(/[\s`]+/g, '-').replace(/[\\&*_]/g, '\\$&')
  return [`${fence}${info}`, ...(text === '' ? [] : text.split('\n')), fence]
}

function writeList(
  { start, isTight, items }: Extract<Block, { kind: 'list' }>,
  alternate: boolean,
): string[] {
  const lines: string[] = []
  for (const [at, item] of items.entries()) {
    const mark = start === null ? (alternate ? '*' : '-') : `${start + at}${alternate ? ')' : '.'}`
    const indent = ' '.repeat(mark.length + 1)
    const written = writeBlocks(item, isTight)
    if (at > 0 && !isTight) lines.push('')
    const [first = '', ...rest] = written
    lines.push(`${mark} ${first}`.trimEnd())
    for (const line of rest) lines.push(line === '' ? '' : `${indent}${line}`)
  }
  return lines
}

function writeTable({ alignments, rows }: Extract<Block, { kind: 'table' }>): string[] {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => writeInlines(cell, { isInTable: true })))
  const delimiters = alignments.map((side) => {
    if (side === 'center') return ':---:'
    if (side === 'right') return '---:'
    return side === 'left' ? ':---' : '---'
  })
  return [head, delimiters, ...body].map((cells) => `| ${cells.join(' | ')} |`)
}

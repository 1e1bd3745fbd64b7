import type { Block, Inline } from './block.ts'

/**
 * Writes blocks as HTML with a few elements and no attributes except link and image targets: no script of the
 * page survives.
 */
export function writeHtml(blocks: readonly Block[]): string {
  return blocks.map((block) => writeBlock(block)).join('\n')
}

function writeBlock(block: Block, isTight = false): string {
  switch (block.kind) {
    case 'paragraph':
      return isTight ? writeInlines(block.content) : `<p>${writeInlines(block.content)}</p>`
    case 'heading':
      return `<h${block.level}>${writeInlines(block.content)}</h${block.level}>`
    case 'rule':
      return '<hr>'
    case 'code': {
      const language = block.language === '' ? '' : ` class="language-${escapeHtml(block.language)}"`
      return `<pre><code${language}>${escapeHtml(block.text)}\n</code></pre>`
    }
    case 'quote':
      return `<blockquote>\n${writeHtml(block.blocks)}\n</blockquote>`
    case 'list':
      return writeList(block)
    case 'table':
      return writeTable(block)
    default:
      return block satisfies never
  }
}

function writeList({ start, isTight, items }: Extract<Block, { kind: 'list' }>): string {
  const name = start === null ? 'ul' : 'ol'
  const first = start === null || start === 1 ? '' : ` start="${start}"`
  const written = items.map(
    (item) => `<li>${item.map((block) => writeBlock(block, isTight)).join('\n')}</li>`,
  )
  return `<${name}${first}>\n${written.join('\n')}\n</${name}>`
}

function writeTable({ alignments, rows }: Extract<Block, { kind: 'table' }>): string {
  const written = rows.map((row, y) => {
    const name = y === 0 ? 'th' : 'td'
    const cells = row.map((cell, x) => {
      const side = alignments[x]
      return `<${name}${side ? ` align="${side}"` : ''}>${writeInlines(cell)}</${name}>`
    })
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table>\n${written.join('\n')}\n</table>`
}

const NAMES = { emphasis: 'em', strong: 'strong', deleted: 'del' } as const

function writeInlines(inlines: readonly Inline[]): string {
  return inlines.map(writeInline).join('')
}

function writeInline(part: Inline): string {
  switch (part.kind) {
    case 'text':
    case 'verbatim':
      return escapeHtml(part.text)
    case 'code':
      return `<code>${escapeHtml(part.text)}</code>`
    case 'break':
      return '<br>'
    case 'emphasis':
    case 'strong':
    case 'deleted':
      return `<${NAMES[part.kind]}>${writeInlines(part.content)}</${NAMES[part.kind]}>`
    case 'link':
      return `<a href="${escapeHtml(part.href)}"${titleOf(part)}>${writeInlines(part.content)}</a>`
    case 'image':
      return `<img src="${escapeHtml(part.src)}" alt="${escapeHtml(part.alt)}"${titleOf(part)}>`
    default:
      return part satisfies never
  }
}

function titleOf({ title }: { readonly title: string }): string {
  return title === '' ? '' : ` title="${escapeHtml(title)}"`
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}

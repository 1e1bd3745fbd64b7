import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { writeMarkdown } from '@tollbook/extract/document/write-markdown'
import { writeText } from '@tollbook/extract/document/write-text'
import { extractPage, toReadableTree } from '@tollbook/extract/extract-page'
import { elementsBelow } from '@tollbook/extract/html-tree'
import type { Count } from './count.ts'
import { countFormulas } from './formulas.ts'
import { countPrice } from './prices.ts'
import type { StructurePage } from './structure-page.ts'
import { findElements, readText, toPlain } from './structure-parts.ts'
import { PEERS, type PeerTexts } from './structure-peers.ts'

const OURS = 'tollbook'

/** Scores the answers to one page. */
export function scorePage(page: StructurePage, html: string, peers: PeerTexts, count: Count): void {
  const answer = answerOf(html, page.url)
  const tree = toReadableTree(html)
  const whole = toPlain(readText(tree))
  const peersPlain = PEERS.map((peer) => toPlain(peers[peer]))
  const systems = Object.entries({
    [OURS]: answer.title + answer.plain,
    Readability: peersPlain[0],
    defuddle: peersPlain[1],
  })
  const countPhrases = (figure: string, phrases: readonly string[], isAll?: string) => {
    const known = phrases.map(toPlain).filter((phrase) => phrase !== '' && whole.includes(phrase))
    if (known.length === 0) return
    for (const [system, text = ''] of systems) {
      const found = known.filter((phrase) => text.includes(phrase)).length
      count(figure, system, found, known.length)
      if (isAll !== undefined) count(isAll, system, Number(found === known.length), 1)
    }
  }
  countPhrases('recipe ingredients kept', page.ingredients ?? [], 'recipe pages with every ingredient')
  countPhrases('recipe steps kept', page.steps ?? [])
  countPhrases('phrases of the content kept', page.with ?? [])
  countPhrases('phrases of the boilerplate kept', page.without ?? [])
  countPhrases(
    'first headings of level 1 kept, also as title',
    elementsBelow(tree)
      .filter(({ name }) => name === 'h1')
      .slice(0, 1)
      .map(readText),
  )
  if (page.price !== undefined)
    countPrice(page.price, readText(tree), { [OURS]: answer.text, ...peers }, count)
  if (page.markdown !== undefined) countFormulas(page.markdown, answer.markdown, count)
  countElements(page, tree, answer, peersPlain, count)
}

type Answer = ReturnType<typeof answerOf>

function answerOf(html: string, url: string) {
  const { tree, head } = extractPage(html, url, { isMainOnly: true, includeImages: true })
  const blocks = readBlocks(tree, { baseUrl: url, includeLinks: false, includeImages: true })
  const text = writeText(blocks)
  const lines = new Set(text.split('\n').map(toPlain))
  const cells = new Set(text.split(/[\n\t]/).map(toPlain))
  return {
    title: toPlain(head.title ?? ''),
    plain: toPlain(text),
    text,
    lines,
    cells,
    markdown: writeMarkdown(blocks),
  }
}

/** A shorter part may occur elsewhere by chance; it must be a line of its own. */
const MIN_PART = 20

/** What is left of the elements that both peers keep whole, or of all elements of a page that is content only. */
function countElements(
  page: StructurePage,
  tree: ReturnType<typeof toReadableTree>,
  { plain, lines, cells }: Answer,
  peers: readonly string[],
  count: Count,
): void {
  const set = page.isWhole ? 'generated pages' : 'kept whole by both peers'
  for (const { kind, parts, cells: wanted } of findElements(tree)) {
    const joined = parts.join('')
    if (!page.isWhole && !peers.every((text) => text.includes(joined))) continue
    const kept = parts.filter((part) => lines.has(part) || (part.length >= MIN_PART && plain.includes(part)))
    const isWhole = plain.includes(joined) || kept.length === parts.length
    const state = isWhole ? 'whole' : kept.length > 0 ? 'torn' : 'dropped'
    for (const other of ['torn', 'dropped'])
      count(`${kind}, ${other}, ${set}`, OURS, Number(state === other), 1)
    if (wanted.length === 0 || state === 'dropped') continue
    const isEmptied = (cell: string) =>
      !isWhole && !cells.has(cell) && !(cell.length >= MIN_PART && plain.includes(cell))
    count('cells lost from tables that are left', OURS, wanted.filter(isEmptied).length, wanted.length)
  }
}

import { TooComplex } from '@tollbook/flow/failure'
import { OpenElements } from './open-elements.ts'

export type MarkupOptions = {
  readonly depth?: number
  /** Maximum number of elements, texts and comments. */
  readonly nodes?: number
  /** Whether it is XML, such as a feed; default HTML. */
  readonly isXml?: boolean
}

/** Larger trees blocked converters for seconds, or overflowed their stack; pages of the web stay far below. */
const MARKUP_LIMITS = { depth: 512, nodes: 150_000 }

/** Elements without content (HTML Standard, 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** Elements whose content every parser treats as text, up to their own end tag. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title'])
const BLOCKS =
  'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul'
/** The open parent elements that a start tag ends, where all parsers agree. */
const ENDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    ...Object.fromEntries(BLOCKS.split(' ').map((name) => [name, ['p']])),
    li: ['li'],
    dt: ['dt', 'dd'],
    dd: ['dt', 'dd'],
    option: ['option'],
    optgroup: ['option', 'optgroup'],
    rp: ['rp', 'rt'],
    rt: ['rp', 'rt'],
    td: ['td', 'th'],
    th: ['th'],
    tr: ['tr', 'td', 'th'],
    tbody: ['thead', 'tbody'],
    tfoot: ['thead', 'tbody'],
  }).map(([name, ended]) => [name, new Set(ended)]),
)

const NOTHING: ReadonlySet<string> = new Set()

/**
 * Scans markup once, before a tree is built of it, and counts what the tree would have. Where parsers differ
 * it counts as many as any of them, apart from what they add themselves: the rows of a table, and formatting
 * elements that are reopened.
 * @returns the deepest nesting and the number of nodes.
 * @throws TooComplex as soon as a limit is exceeded.
 */
export function checkMarkup(
  text: string,
  { isXml = false, ...options }: MarkupOptions = {},
): { readonly depth: number; readonly nodes: number } {
  const limits = { ...MARKUP_LIMITS, ...options }
  const open = new OpenElements(limits.depth)
  let [at, nodes] = [0, 0]
  const count = () => {
    nodes += 1
    if (nodes > limits.nodes) throw new TooComplex(`the page has more than ${limits.nodes} nodes`)
  }
  while (at < text.length) {
    const start = text.indexOf('<', at)
    if (start !== at) count()
    if (start < 0) break
    at = start
    const next = text.charCodeAt(start + 1)
    if (isXml && isXmlTag(text, start)) {
      const { name, isSelfClosing, end } = readTag(text, start + (next === SLASH ? 2 : 1), isXml)
      if (next === SLASH) open.end(name)
      else count()
      if (next !== SLASH && !isSelfClosing) open.push(name)
      at = end
    } else if (isXml && text.startsWith(CDATA, start)) {
      count()
      const end = text.indexOf(']]>', start + CDATA.length)
      at = end < 0 ? text.length : end + 3
    } else if (isLetter(next)) {
      const tag = readTag(text, start + 1)
      count()
      open.begin(tag.name, ENDS.get(tag.name) ?? NOTHING)
      const isClosed = VOID.has(tag.name) || (tag.isSelfClosing && open.isForeign)
      const isRawText = RAW_TEXT.has(tag.name) && !open.isForeign
      if (!isClosed) open.push(tag.name)
      at = isRawText ? endOfRawText(text, tag.end, tag.name) : tag.end
      if (at > tag.end) count()
    } else if (next === SLASH && isLetter(text.charCodeAt(start + 2))) {
      const tag = readTag(text, start + 2)
      // The end tag of a paragraph that is not open creates an empty one (HTML Standard, 13.2.6.4.7).
      if (!open.end(tag.name) && tag.name === 'p') count()
      at = tag.end
    } else if (next === BANG || next === QUESTION || next === SLASH) {
      count()
      at = endOfComment(text, start)
    } else {
      count()
      at = start + 1
    }
  }
  return { depth: open.deepest, nodes }
}

const [SLASH, BANG, QUESTION, GREATER, EQUALS, DOUBLE, SINGLE] = [47, 33, 63, 62, 61, 34, 39] as const

const CDATA = '<![CDATA['

/** Whether a tag begins here in a parser of XML that accepts any name. */
function isXmlTag(text: string, start: number): boolean {
  const next = text.charCodeAt(start + 1)
  if (next === SLASH) return !isNameEnd(text.charCodeAt(start + 2))
  return next !== BANG && next !== QUESTION && !isNameEnd(next)
}

type Tag = {
  /** In lower case, unless it is XML. */
  readonly name: string
  readonly isSelfClosing: boolean
  /** Where the text continues. */
  readonly end: number
}

type TagState = 'before-name' | 'name' | 'after-name' | 'before-value' | 'value'

/**
 * Reads a tag from the first letter of its name, as the tokenizer of the HTML Standard does (13.2.5.8 and
 * 13.2.5.32 on).
 */
function readTag(text: string, start: number, isXml = false): Tag {
  let at = start
  while (at < text.length && !isNameEnd(text.charCodeAt(at))) at += 1
  const provided = text.slice(start, at)
  const name = isXml ? provided : provided.toLowerCase()
  let state: TagState = 'before-name'
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === GREATER) {
      const isSelfClosing = state === 'before-name' && text.charCodeAt(at - 1) === SLASH
      return { name, isSelfClosing, end: at + 1 }
    }
    if (state === 'before-value' && (code === DOUBLE || code === SINGLE)) {
      // Only here does a quote begin a value that may contain `>`.
      const close = text.indexOf(code === DOUBLE ? '"' : "'", at + 1)
      if (close < 0) break
      at = close
      state = 'before-name'
    } else {
      state = toNextState(state, code)
    }
  }
  return { name, isSelfClosing: false, end: text.length }
}

function toNextState(state: TagState, code: number): TagState {
  const isGap = isSpace(code)
  switch (state) {
    case 'before-name':
      return isGap || code === SLASH ? 'before-name' : 'name'
    case 'name':
    case 'after-name':
      if (isGap) return 'after-name'
      if (code === EQUALS) return 'before-value'
      return code === SLASH ? 'before-name' : 'name'
    case 'before-value':
      return isGap ? 'before-value' : 'value'
    case 'value':
      return isGap ? 'before-name' : 'value'
    default:
      return state satisfies never
  }
}

/** Where the end tag of a raw text element begins; the end of the text if there is none. */
function endOfRawText(text: string, start: number, name: string): number {
  for (let at = text.indexOf('</', start); at >= 0; at = text.indexOf('</', at + 2)) {
    const end = at + 2 + name.length
    if (text.slice(at + 2, end).toLowerCase() === name && isNameEnd(text.charCodeAt(end))) return at
  }
  return text.length
}

/** The end of a comment, a doctype or a processing instruction: as early as in any parser. */
function endOfComment(text: string, start: number): number {
  if (!text.startsWith('<!--', start)) {
    const end = text.indexOf('>', start)
    return end < 0 ? text.length : end + 1
  }
  // `<!-->` and `<!--->` are complete comments, and `--!>` also ends one (HTML Standard, 13.2.5.43 to 13.2.5.52).
  const ends = /--!?>/g
  ends.lastIndex = start + 2
  const found = ends.exec(text)
  return found ? ends.lastIndex : text.length
}

function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** NaN at the end of the text. */
function isNameEnd(code: number): boolean {
  return Number.isNaN(code) || isSpace(code) || code === SLASH || code === GREATER
}

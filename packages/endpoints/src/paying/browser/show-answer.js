import { renderMarkdown } from './markdown.js'

/** Members of answers whose text is Markdown. */
const MARKDOWN = new Set(['markdown', 'content', 'summary', 'output_text'])
/** How images begin in base64. */
const BASE64_IMAGES = /** @type {const} */ ([
  ['iVBORw0KGgo', 'png'],
  ['/9j/', 'jpeg'],
  ['R0lGOD', 'gif'],
  ['UklGR', 'webp'],
])
const MAX_COLUMNS = 12
/** More entries are only in the JSON, and longer texts are shown as they are: a page must not freeze. */
const MAX_ENTRIES = 500
const MAX_RENDERED = 2_000_000

/**
 * An answer as a person reads it. Texts become text nodes, so that nothing in them is an element.
 * @param {Response} response
 * @returns {Promise<Node>}
 */
export async function renderAnswer(response) {
  const type = response.headers.get('content-type') ?? ''
  const blob = await response.blob()
  if (type.startsWith('image/')) return media('img', URL.createObjectURL(blob))
  if (type.startsWith('audio/')) return media('audio', URL.createObjectURL(blob))
  if (!/^text\/|\bjson\b|\bxml\b/.test(type)) return download(blob)
  const text = await blob.text()
  try {
    if (type.startsWith('text/markdown')) return renderMarkdown(text)
    if (type.startsWith('text/event-stream')) return block('pre', joinEvents(text))
    if (!/\bjson\b/.test(type) || text.length > MAX_RENDERED) return block('pre', text)
    const whole = document.createElement('div')
    const value = JSON.parse(text)
    whole.append(renderValue(value, ''), details('JSON', block('pre', JSON.stringify(value, null, 2))))
    return whole
  } catch {
    // Nested too deeply, or several JSON texts.
    return block('pre', text)
  }
}

/**
 * @param {any} value
 * @param {string} name of the member
 * @returns {Node}
 */
function renderValue(value, name) {
  if (typeof value === 'string') {
    const source = toMediaUrl(value)
    if (source) return media(source.startsWith('data:audio/') ? 'audio' : 'img', source)
    if (MARKDOWN.has(name)) return renderMarkdown(value)
    return value.includes('\n') ? block('pre', value) : block('span', value)
  }
  if (typeof value !== 'object' || value === null) return block('code', String(value))
  if (Array.isArray(value)) return renderList(value)
  const list = document.createElement('dl')
  for (const [key, each] of Object.entries(value)) {
    const entry = document.createElement('dd')
    entry.append(renderValue(each, key))
    list.append(block('dt', key), entry)
  }
  return list
}

/**
 * The URL of a text that is an image or sound; as an image, SVG runs no script.
 * @param {string} text
 */
function toMediaUrl(text) {
  if (/^data:(image|audio)\//.test(text)) return text
  if (/^<svg[\s>]/.test(text)) return `data:image/svg+xml,${encodeURIComponent(text.toWellFormed())}`
  const [, type] = BASE64_IMAGES.find(([start]) => text.startsWith(start)) ?? []
  return type && /^[\w+/]+=*$/.test(text) ? `data:image/${type};base64,${text}` : null
}

/** @param {any[]} values */
function renderList(values) {
  const isObject = (/** @type {any} */ each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
  const columns = [...new Set(values.flatMap((each) => (isObject(each) ? Object.keys(each) : [])))]
  const isFlat = (/** @type {any} */ each) =>
    isObject(each) && Object.values(each).every((cell) => !isObject(cell))
  if (values.length > 0 && values.every(isFlat) && columns.length <= MAX_COLUMNS) {
    const table = document.createElement('table')
    table.append(
      row('th', columns),
      ...values.slice(0, MAX_ENTRIES).map((each) =>
        row(
          'td',
          columns.map((column) => toCell(each[column])),
        ),
      ),
    )
    const scroll = block('div', '')
    scroll.className = 'scroll'
    scroll.tabIndex = 0
    scroll.setAttribute('role', 'group')
    scroll.setAttribute('aria-label', 'Table')
    scroll.append(table)
    return scroll
  }
  const list = document.createElement('ul')
  for (const each of values.slice(0, MAX_ENTRIES)) {
    const item = document.createElement('li')
    item.append(renderValue(each, ''))
    list.append(item)
  }
  return list
}

/**
 * @param {any} value
 * @returns {string}
 */
function toCell(value) {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map(toCell).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * @param {'th' | 'td'} tag
 * @param {string[]} cells
 */
function row(tag, cells) {
  const element = document.createElement('tr')
  element.append(...cells.map((cell) => block(tag, cell)))
  return element
}

/** @param {string} text what a stream of events says, where it is the text of a model */
function joinEvents(text) {
  const pieces = text.split('\n').flatMap((line) => {
    try {
      const { choices, delta } = JSON.parse(line.replace(/^data:\s*/, ''))
      const piece = choices?.[0]?.delta?.content ?? delta?.text ?? delta
      return typeof piece === 'string' ? [piece] : []
    } catch {
      return []
    }
  })
  return pieces.length > 0 ? pieces.join('') : text
}

/**
 * @param {'img' | 'audio'} tag
 * @param {string} src
 */
function media(tag, src) {
  const element = document.createElement(tag)
  element.src = src
  if (element instanceof HTMLAudioElement) element.controls = true
  else element.alt = 'The image of the answer'
  return element
}

/** @param {Blob} blob */
function download(blob) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = 'answer'
  link.textContent = `Download the answer (${blob.type}, ${blob.size} bytes)`
  return link
}

/**
 * @param {string} title
 * @param {Node} content
 */
function details(title, content) {
  const element = document.createElement('details')
  element.append(block('summary', title), content)
  return element
}

/**
 * @param {string} tag
 * @param {string} text
 */
function block(tag, text) {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}

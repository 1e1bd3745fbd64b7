/** Bold, emphasis, code and links. No part can match the beginning of another one, so it takes linear time. */
const INLINE =
  /\*\*(?<bold>[^*]+)\*\*|`(?<code>[^`]+)`|\*(?<em>[^*\s][^*]*)\*|!?\[(?<text>[^[\]]*)\]\((?<href>[^\s()[\]]+)(?:\s[^()[\]]*)?\)/

/** Longer texts have no marks, so that no answer freezes the page. */
const MAX_MARKED = 5_000
const MAX_RENDERED = 200_000

/**
 * Markdown as elements: headings, lists, quotes, code, and inline marks. HTML in it stays text, links lead only to
 * http and https, and images become links, so that nothing is requested.
 * @param {string} source
 * @returns {Node}
 */
export function renderMarkdown(source) {
  if (source.length > MAX_RENDERED) return element('pre', source)
  const whole = document.createElement('div')
  for (const [index, part] of source.split(/^```.*$/m).entries()) {
    if (index % 2 === 1) whole.append(element('pre', part.replace(/^\n|\n$/g, '')))
    // A heading ends with its line.
    else
      for (const block of part.replace(/^#{1,6} .*$/gm, '\n$&\n').split(/\n\s*\n/))
        if (block.trim() !== '') whole.append(renderBlock(block.trim()))
  }
  return whole
}

/** @param {string} text */
function renderBlock(text) {
  const heading = /^(#{1,6}) +(.+)$/.exec(text)
  // Below the headings of the page.
  if (heading) return inline(`h${Math.min(6, (heading[1]?.length ?? 1) + 2)}`, heading[2] ?? '')
  const lines = text.split('\n')
  if (lines.every((line) => /^\s*([-*+]|\d+[.)])\s|^\s+/.test(line))) {
    const list = document.createElement(/^\s*\d/.test(text) ? 'ol' : 'ul')
    for (const item of text.split(/\n(?=\s*(?:[-*+]|\d+[.)])\s)/))
      list.append(inline('li', item.replace(/^\s*([-*+]|\d+[.)])\s+/, '')))
    return list
  }
  if (lines.every((line) => line.startsWith('>')))
    return inline('blockquote', lines.map((line) => line.slice(1).trim()).join(' '))
  return lines.every((line) => line.startsWith('|')) ? element('pre', text) : inline('p', text)
}

/**
 * @param {string} tag
 * @param {string} text
 */
function inline(tag, text) {
  if (text.length > MAX_MARKED) return element(tag, text)
  const parent = document.createElement(tag)
  let rest = text
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    const { bold, code, em, href = '', text: label = '' } = match.groups ?? {}
    parent.append(rest.slice(0, match.index))
    if (bold) parent.append(inline('strong', bold))
    else if (code) parent.append(element('code', code))
    else if (em) parent.append(inline('em', em))
    else parent.append(/^https?:\/\//i.test(href) ? toLink(href, label || href) : match[0])
    rest = rest.slice(match.index + match[0].length)
  }
  parent.append(rest)
  return parent
}

/**
 * @param {string} href
 * @param {string} label
 */
function toLink(href, label) {
  const link = document.createElement('a')
  link.href = href
  link.rel = 'noreferrer nofollow'
  link.textContent = label
  return link
}

/**
 * @param {string} tag
 * @param {string} text
 */
function element(tag, text) {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

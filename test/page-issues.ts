import { Element } from 'domhandler'
import { findAll, textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'

/** A URL of which nothing needs to be encoded (https://url.spec.whatwg.org/#valid-url-string). */
const VALID_URL = /^(?:[\w.~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/

/** What a validator finds wrong in a page, of the rules that a template can break (https://html.spec.whatwg.org). */
export function findPageIssues(page: string): readonly string[] {
  const nodes = parseDocument(page).children
  const elements = findAll(() => true, nodes)
  const issues: string[] = []
  const ids = new Set<string>()
  for (const { name, attribs } of elements) {
    const { id } = attribs
    if (id !== undefined && (id === '' || /\s/.test(id) || ids.has(id)))
      issues.push(`id "${id}" twice, or not valid`)
    if (id !== undefined) ids.add(id)
    for (const attribute of ['href', 'src', 'action']) {
      const url = attribs[attribute]
      if (
        url !== undefined &&
        (url === '' || !VALID_URL.test(url) || !URL.canParse(url, 'https://a.example'))
      )
        issues.push(`${name} ${attribute}="${url}"`)
    }
  }
  for (const { attribs, children } of elements.filter(({ name }) => name === 'option'))
    if (!attribs.label && textContent(children).trim() === '') issues.push('an option without a label')
  for (const { name, attribs } of elements)
    for (const attribute of ['for', 'aria-describedby', 'aria-labelledby'])
      if (attribs[attribute] !== undefined && !ids.has(attribs[attribute]))
        issues.push(`${name} ${attribute}="${attribs[attribute]}" refers to nothing`)
  // The drawings of a page have titles of their own.
  const isHead = (parent: unknown) => parent instanceof Element && parent.name === 'head'
  const count = (wanted: string) =>
    elements.filter(({ name, parent }) => name === wanted && (wanted !== 'title' || isHead(parent))).length
  for (const name of ['html', 'head', 'title', 'main', 'h1'])
    if (count(name) !== 1) issues.push(`${count(name)} elements ${name}`)
  if (!/^<!doctype html>/i.test(page)) issues.push('no doctype')
  for (const { attribs } of elements.filter(({ name }) => name === 'img'))
    if (attribs.alt === undefined) issues.push(`img ${attribs.src} without alt`)
  return issues
}

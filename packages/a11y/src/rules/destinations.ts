import type { Element } from 'domhandler'
import { tabIndexOf } from '../aria/role.ts'
import { createPageModel, type PageModel } from '../page-model.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'

/** A link's destination: its address, or the one that its click handler sets. */
function destinationOf(element: Element, url: string): string | null {
  const { href, 'xlink:href': xlink, onclick = '' } = element.attribs
  const scripted = /location(?:\.href)?\s*=\s*['"]([^'"]+)['"]/.exec(onclick)?.[1]
  const address = href ?? xlink ?? scripted
  return address === undefined ? null : (URL.parse(address, url)?.href ?? null)
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

function groupByName(elements: readonly Element[], page: PageModel): Map<string, Element[]> {
  const groups = Map.groupBy(elements, (element) => page.nameOf(element).toLowerCase())
  groups.delete('')
  return groups
}

function* checkLinks(page: PageModel): Generator<Outcome> {
  const links = page.elements.filter((element) => page.roleOf(element) === 'link' && page.isExposed(element))
  for (const [name, group] of groupByName(links, page)) {
    const [first, ...others] = group.map((element) => ({ element, to: destinationOf(element, page.url) }))
    if (!first?.to) continue
    const other = others.find(({ to }) => to !== null && to !== first.to)
    if (!other?.to) {
      if (others.length > 0) yield pass(first.element)
      continue
    }
    const message = `Links named "${name.slice(0, 60)}" lead to ${cut(first.to)} and to ${cut(other.to)}.`
    // Two addresses of one site may return the same page; those of two sites do not.
    const isElsewhere = hostOf(first.to) !== hostOf(other.to)
    yield isElsewhere ? fail(other.element, message) : review(other.element, message)
  }
}

function cut(url: string): string {
  return url.length > 120 ? `${url.slice(0, 120)}…` : url
}

function* checkFrames(page: PageModel): Generator<Outcome> {
  const frames = page.elements.filter((element) => element.name === 'iframe' && page.isExposed(element))
  for (const [name, group] of groupByName(frames, page)) {
    const [first, ...others] = group
    const other = others.find((one) => one.attribs.src !== first?.attribs.src)
    if (!first || others.length === 0) continue
    const message = `Frames named "${name.slice(0, 60)}" show different addresses.`
    yield other ? review(other, message) : pass(first)
  }
}

/** Smaller frames are not for human readers. */
const MAX_INVISIBLE_PX = 1

function* checkFrameContent(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    const { srcdoc, width, height } = element.attribs
    if (element.name !== 'iframe' || srcdoc === undefined || !page.isShown(element) || page.isInert(element))
      continue
    if (Number(width ?? 300) <= MAX_INVISIBLE_PX || Number(height ?? 150) <= MAX_INVISIBLE_PX) continue
    const inside = createPageModel({ html: srcdoc, url: page.url })
    if (!inside.elements.some(inside.isTabbable)) continue
    const isCutOff = (tabIndexOf(element) ?? 0) < 0
    yield isCutOff
      ? fail(element, 'The frame is not focusable, so the keyboard cannot reach its links and fields.')
      : pass(element)
  }
}

export const DESTINATION_RULES: readonly Rule[] = [
  {
    id: 'identical-links-same-purpose',
    impact: 'minor',
    criteria: ['2.4.9'],
    act: ['b20e66'],
    help: 'Links with the same name must lead to the same place',
    check: checkLinks,
  },
  {
    id: 'frame-title-unique',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['4b1c6c'],
    help: 'Frames with the same name must have the same content',
    check: checkFrames,
  },
  {
    id: 'frame-focusable-content',
    impact: 'serious',
    criteria: ['2.1.1'],
    act: ['akn7bn'],
    help: 'The keyboard must reach the content of frames',
    check: checkFrameContent,
  },
]

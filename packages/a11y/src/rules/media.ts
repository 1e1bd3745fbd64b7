import type { Element } from 'domhandler'
import type { PageModel } from '../page-model.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { childrenOf, collapse, ownText, token } from '../tree/page-tree.ts'

/** Shorter sound needs no control (success criterion 1.4.2). */
const SHORT_S = 3

function sourcesOf(element: Element): readonly string[] {
  const inside = childrenOf(element).filter((child) => child.name === 'source')
  return [element, ...inside].map((one) => one.attribs.src ?? '').filter((src) => src !== '')
}

/** The seconds that a media fragment such as `#t=8,10` plays; infinite without one. */
function playedSeconds(src: string): number {
  const match = /#(?:.*&)?t=(?:npt:)?([\d.]*),([\d.]+)/.exec(src)
  return match ? Number(match[2]) - Number(match[1] || 0) : Number.POSITIVE_INFINITY
}

const CONTROL = /\b(?:pause|stop|mute|volume)\b/i

function hasOwnControl(page: PageModel): boolean {
  return page.elements.some((element) => {
    if (page.roleOf(element) !== 'button' || !page.isExposed(element)) return false
    return CONTROL.test(`${page.nameOf(element)} ${element.attribs.id ?? ''}`)
  })
}

function* checkAutoplay(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (element.name !== 'audio' && element.name !== 'video') continue
    const { autoplay, muted, controls } = element.attribs
    const sources = sourcesOf(element)
    if (autoplay === undefined || muted !== undefined || sources.length === 0) continue
    const isShort = sources.every((src) => playedSeconds(src) <= SHORT_S)
    if (controls !== undefined || isShort) yield pass(element)
    else if (element.name === 'video' || hasOwnControl(page))
      yield review(element, 'It plays automatically; make sure that it is silent, short, or can be stopped.')
    else yield fail(element, 'It plays automatically, and nothing on the page stops it.')
  }
}

/** Text that is both visible and exposed to screen readers, including links. */
function hasWords(page: PageModel): boolean {
  return page.elements.some((element) => {
    if (['title', 'script', 'style', 'audio', 'video'].includes(element.name)) return false
    return /\p{L}/u.test(collapse(ownText(element))) && page.isExposed(element) && page.isVisible(element)
  })
}

function* checkTranscript(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (element.name !== 'audio' || sourcesOf(element).length === 0) continue
    const plays = element.attribs.autoplay !== undefined
    if (!plays && (element.attribs.controls === undefined || !page.isVisible(element))) continue
    const message = 'The sound needs a text version; a person has to compare the two.'
    yield hasWords(page)
      ? review(element, message)
      : fail(element, 'The page has no text version of the sound.')
  }
}

function* checkCaptions(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (element.name !== 'video' || element.attribs.muted !== undefined || !page.isVisible(element)) continue
    if (sourcesOf(element).length === 0) continue
    const hasTrack = childrenOf(element).some(
      (child) => child.name === 'track' && /^(?:captions|subtitles|)$/.test(token(child, 'kind')),
    )
    yield hasTrack
      ? pass(element)
      : review(element, 'The video has no captions; it needs them if it has sound.')
  }
}

export const MEDIA_RULES: readonly Rule[] = [
  {
    id: 'no-autoplay-audio',
    impact: 'moderate',
    criteria: ['1.4.2'],
    act: ['80f0bf'],
    help: 'Sound must not play automatically, or must be stoppable',
    check: checkAutoplay,
  },
  {
    id: 'audio-transcript',
    impact: 'critical',
    criteria: ['1.2.1'],
    act: ['2eb176', 'afb423'],
    help: 'Sound must have a text version',
    check: checkTranscript,
  },
  {
    id: 'video-caption',
    impact: 'critical',
    criteria: ['1.2.2'],
    act: ['eac66b'],
    help: 'Videos must have captions',
    check: checkCaptions,
  },
]

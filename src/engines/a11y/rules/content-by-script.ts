import type { Element } from 'domhandler'
import type { PageModel } from '../page-model.ts'
import { type Outcome, type Rule, review } from '../rule.ts'
import { ownText } from '../tree/page-tree.ts'

/** Application shells have less, such as "Loading" and a name. */
const MIN_WORDS = 10
/** What comes with the page and can be operated or seen is content. */
const CONTENT = new Set([
  'a',
  'area',
  'audio',
  'button',
  'iframe',
  'img',
  'input',
  'select',
  'textarea',
  'video',
])
const JAVASCRIPT = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/i

/** A page that came nearly empty and has scripts: no rule has seen what its readers see. */
export const CONTENT_BY_SCRIPT: Rule = {
  id: 'content-by-script',
  impact: 'critical',
  criteria: [],
  act: [],
  help: 'The content comes with the page, or the rendered page is checked',
  check: findMissingContent,
}

function* findMissingContent({ elements }: PageModel): Generator<Outcome> {
  const script = elements.find(isScript)
  if (!script || elements.some(({ name }) => CONTENT.has(name))) return
  const text = elements.map((element) => (element.name === 'title' ? '' : ownText(element))).join(' ')
  if (text.split(/\s+/).filter(Boolean).length >= MIN_WORDS) return
  yield review(
    script,
    'Scripts make the content of the page, and they do not run here. Send it as html after its scripts ran.',
  )
}

function isScript({ name, attribs }: Element): boolean {
  return name === 'script' && JAVASCRIPT.test((attribs.type ?? '').trim())
}

import type { RelationKind } from '../../source/social-bundle.ts'

type GivenRelation = { readonly kind: RelationKind; readonly from: unknown; readonly to: unknown }

/** What a path of the API lists, and to which of the two ids of a relation it belongs. */
const LISTINGS: Readonly<Record<string, readonly [RelationKind, owner: 'to' | 'from']>> = {
  'users followers': ['follow', 'to'],
  'users following': ['follow', 'from'],
  'lists members': ['list_member', 'to'],
  'lists followers': ['list_follower', 'to'],
  'tweets retweeted_by': ['repost', 'to'],
  'posts reposted_by': ['repost', 'to'],
}

/**
 * The relation of the users of a page to the requested object. A page does not state it; twarc stores the
 * request URL in it (https://twarc-project.readthedocs.io/en/latest/twarc2_en_us/). Null for any other URL.
 */
export function relatedBy(url: unknown): ((user: unknown) => GivenRelation) | null {
  const address = typeof url === 'string' ? URL.parse(url) : null
  const found = /^\/2\/(users|lists|tweets|posts)\/(\d{1,19})\/([a-z_]+)$/.exec(address?.pathname ?? '')
  if (!found) return null
  const [, of = '', owner = '', what = ''] = found
  const name = `${of} ${what}`
  const [kind, end] = (Object.hasOwn(LISTINGS, name) ? LISTINGS[name] : undefined) ?? []
  if (!kind) return null
  return (user) => (end === 'to' ? { kind, from: user, to: owner } : { kind, from: owner, to: user })
}

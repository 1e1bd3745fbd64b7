import { allMatches } from './all-matches.ts'
import type { TextSpan } from './text-span.ts'

export const LATIN_ACCENTS = String.raw`\xc0-\xd6\xd8-\xf6\xf8-\xff\u0100-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0268\u026f\u0272\u0289\u028b\u02bb\u0300-\u036f\u1e00-\u1eff`
/** Not within a word or an e-mail address; `RT` may precede it without a space. */
const MENTION = new RegExp(
  String.raw`(?:^|[^a-zA-Z0-9_!#$%&*@＠]|(?:^|[^a-zA-Z0-9_+~.-])(?:rt|RT|rT|Rt):?)(?<name>[@＠]\w{1,20}(?!\w))(?<list>/[a-zA-Z][\w-]{0,24}(?![\w-]))?(?![\w/-]*[@＠]|[${LATIN_ACCENTS}]|://)`,
  'g',
)

/** The usernames that a text mentions, in order; the span includes the `@`. */
export function findMentions(text: string): (TextSpan & { readonly username: string })[] {
  const found: (TextSpan & { readonly username: string })[] = []
  for (const { index, 0: whole, groups } of allMatches(MENTION, text)) {
    const name = groups?.name ?? ''
    // The name of a list does not mention its owner.
    if (groups?.list !== undefined) continue
    const start = index + whole.length - name.length
    found.push({ start, end: start + name.length, username: name.slice(1) })
  }
  return found
}

/** What form encoding changes: escapes and spaces. */
const ENCODED = /[%+]/

/** The names and values of a query (WHATWG URL, application/x-www-form-urlencoded), without its question mark. */
export function readQueryPairs(query: string): Iterable<readonly [name: string, value: string]> {
  // Most queries need no decoding. URLSearchParams strips one leading question mark; prepending one preserves
  // a question mark that belongs to the first name.
  return ENCODED.test(query) ? new URLSearchParams(`?${query}`) : splitPairs(query)
}

/** The first pair of each name that is not empty, without names that are not wanted. */
export function selectPairs(
  pairs: Iterable<readonly [string, string]>,
  isWanted: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const selected = new Map<string, string>()
  for (const [name, text] of pairs) {
    if (text !== '' && !selected.has(name) && isWanted(name)) selected.set(name, text)
  }
  return selected
}

function splitPairs(query: string): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    pairs.push(at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)])
  }
  return pairs
}

/** What a host asks of crawlers (RFC 9309). */
export type Robots = {
  /** Whether a path with its query may be fetched. */
  isAllowed(path: string): boolean
}

export const ALLOWS_ALL: Robots = { isAllowed: () => true }

type Rule = { readonly isAllow: boolean; readonly pattern: string }

/** More than this is not read (RFC 9309 section 2.5 asks for at least 500 kibibytes). */
const LONGEST_LINES = 5000
const MOST_RULES = 500

/**
 * Reads a robots.txt for one crawler: the groups that name it, else those for all. The longest rule that matches
 * decides, and of two as long the allowing one.
 * @param agent the crawler's product token in lower case.
 */
export function parseRobots(text: string, agent: string): Robots {
  const groups = readGroups(text)
  const own = groups.filter(({ agents }) => agents.includes(agent))
  const rules = (own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*')))
    .flatMap((group) => group.rules)
    .slice(0, MOST_RULES)
  return {
    isAllowed(path) {
      const [best] = rules
        .filter(({ pattern }) => matches(pattern, path))
        .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllow) - Number(a.isAllow))
      return best?.isAllow ?? true
    },
  }
}

type Group = { readonly agents: string[]; readonly rules: Rule[] }

function readGroups(text: string): readonly Group[] {
  const groups: Group[] = []
  let isNaming = false
  for (const line of text.split(/\r\n|\r|\n/, LONGEST_LINES)) {
    const [, name = '', value = ''] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/.exec(line) ?? []
    const field = name.toLowerCase()
    const last = groups.at(-1)
    if (field === 'user-agent') {
      if (isNaming && last) last.agents.push(value.toLowerCase())
      else groups.push({ agents: [value.toLowerCase()], rules: [] })
      isNaming = true
    } else if (field === 'allow' || field === 'disallow') {
      isNaming = false
      // An empty rule matches nothing (section 2.2.2).
      if (value !== '' && last) last.rules.push({ isAllow: field === 'allow', pattern: value })
    }
  }
  return groups
}

/** `*` stands for any characters, `$` at the end for the end; piece by piece, so that no pattern costs much. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [index, piece] of rest.entries()) {
    if (isWhole && index === rest.length - 1) return path.length - piece.length >= at && path.endsWith(piece)
    const found = path.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return !isWhole || at === path.length
}

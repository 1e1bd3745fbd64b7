/** What a host's robots.txt says to a program. */
export type RobotsRules = {
  /** Whether a path with its query may be fetched. */
  readonly allows: (pathAndQuery: string) => boolean
  /** Seconds between two requests that the host asks for; 0 where it says nothing. */
  readonly delaySeconds: number
  /** Why it could not be read, so that nothing may be fetched; absent where it was, or where there is none. */
  readonly fault?: string
}

export const ALLOW_ALL: RobotsRules = { allows: () => true, delaySeconds: 0 }
export const ALLOW_NOTHING: RobotsRules = { allows: () => false, delaySeconds: 0 }

/** RFC 9309 section 2.5: a crawler reads at least 500 KiB. */
export const MOST_ROBOTS_BYTES = 512_000

type Group = { readonly agents: string[]; readonly rules: Rule[]; delaySeconds: number; isOpen: boolean }
type Rule = { readonly isAllowed: boolean; readonly pattern: string }

/**
 * Reads a robots.txt (RFC 9309): the groups for the agent, else those for all; of the rules that match a path
 * the longest counts, and among equals the one that allows.
 * @param agent product token, such as `Tollbook`
 */
export function parseRobots(text: string, agent: string): RobotsRules {
  const groups = readGroups(text)
  const wanted = agent.toLowerCase()
  const own = groups.filter(({ agents }) => agents.includes(wanted))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  const rules = chosen.flatMap((group) => group.rules).filter(({ pattern }) => pattern !== '')
  return {
    delaySeconds: Math.max(0, ...chosen.map(({ delaySeconds }) => delaySeconds)),
    allows(path) {
      // robots.txt itself may always be fetched (section 2.2.2).
      if (path === '/robots.txt') return true
      const matching = rules.filter(({ pattern }) => matches(pattern, normalisePath(path)))
      const longest = Math.max(0, ...matching.map(({ pattern }) => pattern.length))
      const deciding = matching.filter(({ pattern }) => pattern.length === longest)
      return deciding.length === 0 || deciding.some(({ isAllowed }) => isAllowed)
    },
  }
}

function readGroups(text: string): readonly Group[] {
  const groups: Group[] = []
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)\s*:\s*(.*?)\s*(?:#.*)?$/i.exec(line) ?? []
    const key = name.toLowerCase()
    const last = groups.at(-1)
    if (key === 'user-agent') {
      const agent = /^[a-z_-]+|^\*/i.exec(value)?.[0].toLowerCase() ?? ''
      // Agents one after the other share the rules below them.
      if (last?.isOpen) last.agents.push(agent)
      else groups.push({ agents: [agent], rules: [], delaySeconds: 0, isOpen: true })
    } else if (last && (key === 'allow' || key === 'disallow')) {
      last.isOpen = false
      last.rules.push({ isAllowed: key === 'allow', pattern: normalisePath(value) })
    } else if (last && key === 'crawl-delay') {
      last.isOpen = false
      const seconds = Number(value)
      if (seconds > 0) last.delaySeconds = Math.max(last.delaySeconds, seconds)
    }
  }
  return groups
}

/** `*` stands for anything, `$` at the end for the end; both sides are compared percent-encoded. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  let at = 0
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    if (index === 0) {
      if (!path.startsWith(part)) return false
      at = part.length
    } else if (isLast && isWhole) {
      if (path.length - part.length < at || !path.endsWith(part)) return false
      at = path.length
    } else {
      // The first place is the best one: it leaves the most room for the parts that follow.
      const found = path.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
  }
  return !isWhole || at === path.length
}

/** Characters outside of ASCII percent-encoded, and escapes in upper case (section 2.2.2). */
function normalisePath(text: string): string {
  return text
    .replace(/[^\x21-\x7e]+/g, (run) => encodeURI(run.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase())
}

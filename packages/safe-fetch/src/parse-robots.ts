/** The access that a host's robots.txt grants to one crawler. */
export type RobotsRules = {
  /** Whether the path, including its query, may be fetched. */
  readonly allows: (pathAndQuery: string) => boolean
  /**
   * The delay between two requests that the host requests, in seconds; 0 if it sets none. Unbounded: the
   * caller caps it.
   */
  readonly crawlDelaySeconds: number
}

export const ALLOW_ALL: RobotsRules = { allows: () => true, crawlDelaySeconds: 0 }

/** RFC 9309 section 2.5: a crawler reads at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512_000

type Group = { readonly agents: string[]; readonly rules: Rule[]; crawlDelaySeconds: number }
type Rule = { readonly isAllowed: boolean; readonly pattern: string }

/**
 * Parses a robots.txt (RFC 9309) for one crawler: the groups that name it, otherwise the groups for all
 * crawlers. The longest rule that matches a path wins; an allow rule wins a tie. Any text parses.
 * @param agent product token, such as `Tollbook`; case-insensitive.
 */
export function parseRobots(text: string, agent: string): RobotsRules {
  const groups = readGroups(text)
  const named = groups.filter(({ agents }) => agents.includes(agent.toLowerCase()))
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'))
  const rules = chosen.flatMap((group) => group.rules)
  return {
    crawlDelaySeconds: chosen.reduce((max, group) => Math.max(max, group.crawlDelaySeconds), 0),
    allows(pathAndQuery) {
      // robots.txt itself may always be fetched (section 2.2.2).
      if (pathAndQuery === '/robots.txt') return true
      const path = encodeSpecial(normalise(pathAndQuery), /[*$]/g)
      let best: Rule | undefined
      for (const rule of rules) {
        const gain = rule.pattern.length - (best?.pattern.length ?? 0)
        const outranks = !best || gain > 0 || (gain === 0 && rule.isAllowed)
        if (outranks && matches(rule.pattern, path)) best = rule
      }
      return best?.isAllowed ?? true
    },
  }
}

function readGroups(text: string): readonly Group[] {
  const groups: Group[] = []
  let isNamingAgents = false
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    const [field, value] = splitLine(line)
    const last = groups.at(-1)
    if (field === 'user-agent') {
      // The product token ends at the first other character: `Tollbook/0.1` names Tollbook.
      const agent = /^(?:[a-z_-]+|\*)/i.exec(value)?.[0].toLowerCase() ?? ''
      if (isNamingAgents && last) last.agents.push(agent)
      else groups.push({ agents: [agent], rules: [], crawlDelaySeconds: 0 })
      isNamingAgents = true
    } else if (last && (field === 'allow' || field === 'disallow')) {
      isNamingAgents = false
      // An empty rule matches nothing (section 2.2.2).
      if (value !== '') last.rules.push({ isAllowed: field === 'allow', pattern: toPattern(value) })
    } else if (last && field === 'crawl-delay') {
      // An extension to the RFC, so it does not end a list of agents (section 2.2.4).
      const seconds = Number(value)
      if (seconds > 0) last.crawlDelaySeconds = Math.max(last.crawlDelaySeconds, seconds)
    }
  }
  return groups
}

/** No regular expressions over the whole line: a host may send a line of 500 KiB. */
function splitLine(line: string): readonly [field: string, value: string] {
  const [content = ''] = line.split('#', 1)
  const colon = content.indexOf(':')
  return [content.slice(0, Math.max(0, colon)).trim().toLowerCase(), content.slice(colon + 1).trim()]
}

function toPattern(value: string): string {
  const pattern = normalise(value)
  return encodeSpecial(pattern.slice(0, -1), /\$/g) + pattern.slice(-1)
}

/**
 * `*` matches anything, a final `$` the end. Each literal piece is matched at its first position, which
 * leaves the most room for the next one; matching takes linear time for any pattern.
 */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$')
  const [first = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = isAnchored ? pieces.pop() : undefined
  for (const piece of pieces) {
    const found = path.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  if (last !== undefined) return path.length - last.length >= at && path.endsWith(last)
  return !isAnchored || at === path.length
}

/**
 * The canonical form of rules and paths for comparison (section 2.2.2): characters that a URL may not contain
 * are percent-encoded, escaped unreserved characters are decoded, and other escapes are in upper case.
 */
function normalise(text: string): string {
  return text
    .replace(/[^\w.~!*'();:@&=+$,/?#[\]%-]+/g, (run) => encodeURIComponent(run.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase()
    })
}

/** Escapes characters that are special in a rule but literal in a path (section 2.2.3). */
function encodeSpecial(text: string, special: RegExp): string {
  return text.replace(special, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

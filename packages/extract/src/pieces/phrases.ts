/** Phrases typical of boilerplate, whatever the class names of its elements. */
const PHRASES: readonly RegExp[] = [
  /copyright|©|all rights reserved/i,
  /\bcookies?\b|privacy (?:policy|notice)|terms (?:of|&|and)|consent/i,
  /sign ?up|sign ?in|log ?in|subscribe|newsletter|register|create (?:an )?account|your (?:e-?)?mail/i,
  /\bshare\b|follow us|tweet|facebook|twitter|instagram|linkedin|whatsapp|pinterest|copy link|\bprint\b/i,
  /related|you (?:may|might) (?:also )?(?:like|enjoy)|more from|also (?:like|viewed|bought)|recommended|similar|read (?:more|next)|learn more|see (?:more|all)|view (?:more|all)|show more|load more/i,
  /\bcomments?\b|leave a reply|\breply\b|\breport\b|\bquote\b|permalink|like this/i,
  /add to (?:cart|bag|basket|wish ?list)|buy now|in stock|out of stock|free shipping|quantity|checkout|sold out/i,
  /^(?:by|from|posted|published|updated|written by|reviewed by|last (?:updated|modified))\b|min(?:ute)?s? read/i,
  /\b(?:19|20)\d\d\b|\b\d+ (?:minutes?|hours?|days?|weeks?|months?|years?) ago\b/i,
  /[$€£¥]\s?\d|\d[.,]\d\d\s?(?:€|EUR|USD|kr)/,
  /^(?:home|menu|search|close|skip to|back to|next|previous|prev|top|open|login|cart|contact|help|filter|sort)\b/i,
  /advertis|sponsored|affiliate|promot/i,
  /\b(?:download|book|get started|contact us|try|start|request|schedule|free trial|join)\b/i,
  /(?:[/›»>|•·]\s.*){2}/,
]

/** Which phrases occur at the start of a text, as a bit mask. */
export function findPhrases(text: string): number {
  const start = text.slice(0, START_CHARS)
  return PHRASES.reduce((bits, phrase, at) => (phrase.test(start) ? bits | (1 << at) : bits), 0)
}

export function toBits(phrases: number): number[] {
  return PHRASES.map((_, at) => (phrases >> at) & 1)
}

/** A phrase further on in a text is incidental. */
const START_CHARS = 200

import { type Token, tokenOf } from './token-type.ts'

/** `how many feet in a mile` in the order of `1 mile to feet`; other tokens are unchanged. */
export function reorderHowMany(tokens: readonly Token[]): readonly Token[] {
  const [how, many] = [tokens[0], tokens[1]]
  if (how?.text.toLowerCase() !== 'how' || many?.text.toLowerCase() !== 'many') return tokens
  const at = tokens.findIndex(({ text }, index) => index > 2 && (text === 'in' || text === 'is'))
  if (at < 0) return tokens
  const end = tokenOf(tokens, tokens.length - 1)
  const [unit, rest] = [tokens.slice(2, at), tokens.slice(at + 1, -1)]
  const verb = unit.at(-1)?.text === 'are' ? unit.slice(0, -1) : unit
  const [article, ...others] = rest
  const isOne = article && /^(?:an?|one)$/i.test(article.text)
  const from: readonly Token[] = isOne ? [{ ...article, kind: 'number', text: '1' }, ...others] : rest
  return [...from, { ...tokenOf(tokens, at), kind: 'symbol', text: 'to' }, ...verb, end]
}

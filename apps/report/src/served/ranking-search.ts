import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { StoredEdition } from '../editions/stored-reports.ts'
import type { State } from '../state/state.ts'

/** More words than this only make a search slower. */
const MAX_WORDS = 8

/** The words of a search; empty for an empty search. */
export function toWords(search: string): readonly string[] {
  return (
    search
      .toLowerCase()
      // No text has it, and PostgreSQL accepts none with it.
      .replaceAll('\0', '')
      .split(/\s+/)
      .filter((word) => word !== '')
      .slice(0, MAX_WORDS)
  )
}

/** The addresses of an edition whose name, address or listings contain all words. */
export function findAddresses(
  state: State,
  { edition, revision }: Pick<StoredEdition, 'edition' | 'revision'>,
  words: readonly string[],
) {
  const texts = state.db
    .selectFrom('report_texts')
    .select('address')
    .where('edition', '=', edition)
    .where('revision', '=', revision)
  return words.reduce((found, word) => found.where(isLike('search_text', `%${escapePattern(word)}%`)), texts)
}

/**
 * How well a merchant matches one or more words: 4 for an exact name or address, 3 for a start of either, 2
 * for the phrase in a name, 1 for every word in it, 0 for its listings only. Only confirmed names count.
 */
export function relevanceOf(words: readonly string[]): RawBuilder<number> {
  const phrase = words.join(' ')
  const begins = `${escapePattern(phrase)}%`
  const allInName = words.map((word) => isLike('reports.name', `%${escapePattern(word)}%`))
  return sql<number>`cast(case
    when reports.address = ${phrase} then 4
    when ${isLike('reports.address', begins)} then 3
    when reports.is_name_confirmed = 0 then 0
    when reports.name = ${phrase} then 4
    when ${isLike('reports.name', begins)} then 3
    when ${isLike('reports.name', `%${escapePattern(phrase)}%`)} then 2
    when ${sql.join(allInName, sql` and `)} then 1
    else 0 end as bigint)`
}

function isLike(column: string, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`
}

function escapePattern(word: string): string {
  return word.replaceAll(/[\\%_]/g, '\\$&')
}

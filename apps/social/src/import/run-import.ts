import { PermanentError } from '@tollbook/flow/failure'
import { saveParsed } from '../source/store/save-bundle.ts'
import { reservePlaces } from '../source/store/save-relations.ts'
import type { State } from '../state/state.ts'
import {
  addCounts,
  countObjects,
  type ImportCursor,
  NO_COUNTS,
  readCursor,
  type SocialImportCounts,
  saveCursor,
} from './import-cursor.ts'
import type { ImportSource } from './import-source.ts'
import { createObjects, type ImportedObjects } from './imported-objects.ts'

export type SocialImport = {
  readonly state: State
  /** Imports a source again even if it was imported completely. */
  readonly isAgain: boolean
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly onBytes: (bytes: number) => void
  readonly onIssue: (where: string, what: string) => void
}

export type ImportOutcome = {
  readonly counts: SocialImportCounts
  /** When it was completely imported earlier; null if this import had something to do. */
  readonly doneBefore: Date | null
}

/** Objects per transaction; a killed import resumes after the last completed one. */
const OBJECTS_AT_ONCE = 2_000
/** Chosen: positions reserved per source, since its number of relations is not known in advance. */
const PLACES_OF_SOURCE = 2 ** 30

/**
 * Stores the objects of a source. While one batch is stored, the next one is read.
 * @throws PermanentError if the source is broken; everything before the error is stored.
 */
export async function runImport(source: ImportSource, options: SocialImport): Promise<ImportOutcome> {
  const { state, isAgain, now, signal, onBytes, onIssue } = options
  const known = await readCursor(state, source.fingerprint)
  if (known?.finishedAt && !isAgain) return { counts: known.counts, doneBefore: known.finishedAt }
  const begun: ImportCursor =
    known && !known.finishedAt
      ? known
      : { items: 0, counts: NO_COUNTS, startedAt: now(), relationsFrom: null, finishedAt: null }
  let { counts, items, relationsFrom } = begun
  let objects = createObjects()
  let saving: Promise<void> = Promise.resolve()

  async function save(isLast: boolean): Promise<void> {
    const piece = objects
    const relationsBefore = counts.relations
    objects = createObjects()
    counts = addCounts(counts, countObjects(piece))
    const cursor = { ...begun, items, counts, finishedAt: isLast ? now() : null, now: now() }
    const places = { count: PLACES_OF_SOURCE, fetchedAt: begun.startedAt }
    await saving
    saving = saveParsed(state, piece.bundle, {
      fetchedAt: begun.startedAt,
      async placeRelations(transaction) {
        relationsFrom ??= await reservePlaces(transaction, places)
        return relationsFrom - relationsBefore
      },
      alsoSave: (transaction) => saveCursor(transaction, source, { ...cursor, relationsFrom }),
    })
    // It is awaited before the next batch, and at the end.
    saving.catch(() => {})
  }

  try {
    for await (const item of source.read(begun.items, onBytes)) {
      signal.throwIfAborted()
      const issuesBefore = objects.issues.length
      item.readInto(objects)
      items = item.number
      for (const issue of objects.issues.slice(issuesBefore)) onIssue(`${source.name}:${item.line}`, issue)
      if (sizeOf(objects) >= OBJECTS_AT_ONCE) await save(false)
    }
  } catch (error) {
    if (items > 0) await save(false)
    await saving
    if (!(error instanceof PermanentError)) throw error
    throw new PermanentError(`${source.name}: ${error.message}`, { cause: error })
  }
  await save(true)
  await saving
  return { counts, doneBefore: null }
}

function sizeOf({ bundle, issues }: ImportedObjects): number {
  return Object.values(bundle).reduce((sum, objects) => sum + objects.length, issues.length)
}

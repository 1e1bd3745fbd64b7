import type { State } from '../../../state/state.ts'
import type { EvidenceArchive } from './evidence-archive.ts'
import { openEvidenceFolder } from './evidence-folder.ts'
import { openEvidencePieces } from './evidence-pieces.ts'

/**
 * Opens the store for the payments of published weeks: a folder if the state is in SQLite, which belongs to
 * one machine; the state itself if it is in PostgreSQL, so that every machine can read it.
 */
export function openEvidenceArchive(
  state: State,
  { folder, now }: { readonly folder: string; readonly now: () => Date },
): EvidenceArchive {
  return state.kind === 'sqlite' ? openEvidenceFolder(folder) : openEvidencePieces(state, now)
}

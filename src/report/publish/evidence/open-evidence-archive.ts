import type { State } from '../../../state/state.ts'
import type { EvidenceArchive } from './evidence-archive.ts'
import { openEvidenceFolder } from './evidence-folder.ts'
import { openEvidencePieces } from './evidence-pieces.ts'

/**
 * Opens where the payments of published weeks are kept: with a state in SQLite, which belongs to one machine, in a
 * folder; with PostgreSQL in the state itself, so that every machine reads them.
 */
export function openEvidenceArchive(
  state: State,
  { folder, now }: { readonly folder: string; readonly now: () => Date },
): EvidenceArchive {
  return state.kind === 'sqlite' ? openEvidenceFolder(folder) : openEvidencePieces(state, now)
}

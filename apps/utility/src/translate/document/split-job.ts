import type { Part } from './segment.ts'
import { type DocumentFormat, splitDocument } from './split-document.ts'

/** `splitDocument` for a worker: some rules take time that grows with the square of a hostile paragraph. */
export function splitInWorker(given: { readonly text: string; readonly format: DocumentFormat }): Part[] {
  return splitDocument(given.text, given.format)
}

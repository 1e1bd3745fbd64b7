/** Outcomes of the pages of an import. */
export type ImportCounts = {
  readonly imported: number
  /** Stored by an import within the last day. */
  readonly fresh: number
  /** Not fetched or not stored, because robots.txt or the page forbids it. */
  readonly forbidden: number
  readonly failed: number
}

export type ImportOutcome = keyof ImportCounts

/** Progress reports of an import, and why a page failed. */
export type ImportListener = {
  readonly onProgress: (done: number, total: number) => void
  readonly onFailure: (url: string, reason: string) => void
}

export function createTally({ onProgress }: ImportListener, total: number) {
  const counts = { imported: 0, fresh: 0, forbidden: 0, failed: 0 }
  return {
    counts: counts as ImportCounts,
    add(outcome: ImportOutcome, number = 1) {
      counts[outcome] += number
      onProgress(counts.imported + counts.fresh + counts.forbidden + counts.failed, total)
    },
  }
}

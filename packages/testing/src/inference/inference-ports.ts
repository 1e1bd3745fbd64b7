import type { InferencePorts } from '@tollbook/inference/ports'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { createWorkerPool } from '@tollbook/workers/pool'

/** What the inference service reaches the world through in tests; no voice and no model is there, unless `more` says so. */
export function inferencePorts(more: Partial<InferencePorts> = {}): InferencePorts {
  return {
    workers: more.workers ?? createWorkerPool({ deadlineScale: 100 }),
    transcription: null,
    speech: { engines: [], names: new Map() },
    voices: {
      current: () => ({ voices: [], providers: [], notes: [] }),
      refresh: async () => {},
    },
    tiers: new Map(),
    embedder: null,
    imageMaker: null,
    fetch: createSafeFetch({ allowPrivateNetwork: true }),
    ...more,
  }
}

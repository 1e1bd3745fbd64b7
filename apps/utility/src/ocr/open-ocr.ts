import type { Block } from '@tollbook/extract/document/block'
import { withDeadline } from '@tollbook/flow/deadline'
import { leaving } from '@tollbook/flow/leaving'
import { createSemaphore } from '@tollbook/flow/semaphore'
import { ProblemError } from '@tollbook/http/problem'
import { acquire } from '@tollbook/http/request/acquire'
import { createEngineProcess, EngineFailed, EngineRefused } from '@tollbook/workers/engine-process'

export type OcrImage = {
  /** Of a stranger, or a PNG of ours; decoded in the engine's process. */
  readonly bytes: Uint8Array
}

/** Why the engine rejects an image; `isStrike` as in `ProblemError`. */
type OcrRefusal = { readonly detail: string; readonly isStrike?: boolean }

/** The text of an image. */
export type RecognisedText = {
  /** In reading order, with its tables; none if no text is found. */
  readonly blocks: readonly Block[]
  /** Of its words, 0 to 1. */
  readonly confidence: number
  /** Words of the text that may be wrong. */
  readonly uncertain: readonly string[]
  /** Places that look like text of which nothing was read. */
  readonly unread: number
}

/** Reads English text in images. */
export interface Ocr {
  /** @throws ProblemError; none is charged */
  read(image: OcrImage, signal: AbortSignal): Promise<RecognisedText>
  close(): void
}

/** How long the engine may read one image: its own limit is in seconds of a processor, which others use, too. */
const DEADLINE_MS = 60_000
/** How long it may load; alone it takes about a second. */
const LOAD_MS = 120_000
const PACKAGES = ['tesseract.js', '@tesseract.js-data/eng']

/** Tesseract in a process of its own, which starts with the first image; null if its packages are not installed. */
export function openOcr(): Ocr | null {
  if (!PACKAGES.every(isInstalled)) return null
  const module = new URL('./ocr-engine.ts', import.meta.url)
  const engine = createEngineProcess({ module, settings: null, stopMs: 0, isSandboxed: true })
  const semaphore = createSemaphore({
    max: 1,
    maxWaiting: 16,
    message: 'Too many images are waiting for text recognition.',
  })

  async function recognise(image: OcrImage): Promise<RecognisedText> {
    try {
      await withDeadline(LOAD_MS, (signal) => leaving(engine.load(), signal))
      // What the process's module returns.
      return (await withDeadline(DEADLINE_MS, (signal) => engine.run(image, { signal }))) as RecognisedText
    } catch (error) {
      if (isTimeout(error)) engine.close()
      throw toProblem(error)
    }
  }

  return {
    async read(image, signal) {
      const release = await acquire(semaphore, signal)
      // A caller that leaves does not end the engine: it takes seconds to load, and others wait for it.
      return await leaving(recognise(image).finally(release), signal)
    },
    close: () => engine.close(),
  }
}

function toProblem(cause: unknown): unknown {
  const toError = (detail: string, isStrike = false) =>
    new ProblemError({ code: 'cannot_be_served', detail }, { cause, isStrike })
  if (cause instanceof EngineRefused) {
    const { detail, isStrike } = cause.refusal as OcrRefusal
    return toError(detail, isStrike)
  }
  if (cause instanceof EngineFailed) return toError('The text of the image cannot be read.')
  return isTimeout(cause) ? toError('Reading the text of the image takes too long.') : cause
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

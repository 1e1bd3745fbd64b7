import { withDeadline } from '../../flow/deadline.ts'
import { leaving } from '../../flow/leaving.ts'
import { createSemaphore } from '../../flow/semaphore.ts'
import { ProblemError } from '../../http/problem.ts'
import { acquire } from '../../http/request/acquire.ts'
import { createEngineProcess, EngineFailed, EngineRefused } from '../../workers/engine-process.ts'

export type OcrImage = {
  readonly bytes: Uint8Array
  /** Whether it is a PNG of ours, not an image of a stranger, which is decoded in the engine's process. */
  readonly isPrepared: boolean
}

/** Why the engine rejects an image; `isStrike` as in `ProblemError`. */
type OcrRefusal = { readonly detail: string; readonly isStrike?: boolean }

/** Reads English text in images. */
export interface Ocr {
  /** @returns its paragraphs; none if no text is found @throws ProblemError; none is charged */
  read(image: OcrImage, signal: AbortSignal): Promise<readonly string[]>
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

  async function recognise(image: OcrImage): Promise<readonly string[]> {
    try {
      await withDeadline(LOAD_MS, (signal) => leaving(engine.load(), signal))
      // What the process's module returns.
      return (await withDeadline(DEADLINE_MS, (signal) => engine.run(image, { signal }))) as string[]
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

import { acquire } from '../../catalogue/acquire.ts'
import { createSemaphore } from '../../flow/semaphore.ts'
import { ProblemError } from '../../http/problem.ts'
import { createEngineProcess, EngineFailed, EngineRefused } from '../../workers/engine-process.ts'

export type OcrImage = {
  readonly bytes: Uint8Array
  /** Whether it is a PNG of ours, not an image of a stranger, which is decoded in the engine's process. */
  readonly isPrepared: boolean
}

/** Reads English text in images. */
export interface Ocr {
  /**
   * @returns its paragraphs; none if no text is found
   * @throws ProblemError; none is charged
   */
  read(image: OcrImage, signal: AbortSignal): Promise<readonly string[]>
  close(): void
}

/** A page of a document takes one to three seconds. */
const DEADLINE_MS = 30_000
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
  return {
    async read(image, signal) {
      const release = await acquire(semaphore, signal)
      const late = AbortSignal.timeout(DEADLINE_MS)
      try {
        // What the process's module returns.
        return (await engine.run(image, { signal: AbortSignal.any([signal, late]) })) as string[]
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted)
          throw new ProblemError({
            code: 'cannot_be_served',
            detail: 'Reading the text of the image takes too long.',
          })
        if (!(error instanceof EngineFailed || error instanceof EngineRefused)) throw error
        const detail =
          error instanceof EngineRefused ? String(error.refusal) : 'The text of the image cannot be read.'
        throw new ProblemError({ code: 'cannot_be_served', detail }, { cause: error })
      } finally {
        release()
      }
    },
    close: () => engine.close(),
  }
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

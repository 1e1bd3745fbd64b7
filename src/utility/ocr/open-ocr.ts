import { acquire } from '../../catalogue/acquire.ts'
import { createSemaphore } from '../../flow/semaphore.ts'
import { ProblemError } from '../../http/problem.ts'
import { createEngineProcess, EngineFailed } from '../../workers/engine-process.ts'

/** Reads English text in images. */
export interface Ocr {
  /**
   * @param image a PNG of bearable size
   * @returns its paragraphs; none if no text is found
   * @throws ProblemError; none is charged
   */
  read(image: Uint8Array, signal: AbortSignal): Promise<readonly string[]>
  close(): void
}

/** A page of a document takes one to three seconds. */
const DEADLINE_MS = 30_000
const PACKAGES = ['tesseract.js', '@tesseract.js-data/eng']

/** Tesseract in a process of its own, which starts with the first image; null if its packages are not installed. */
export function openOcr(): Ocr | null {
  if (!PACKAGES.every(isInstalled)) return null
  const module = new URL('./ocr-engine.ts', import.meta.url)
  const engine = createEngineProcess({ module, settings: null, stopMs: 0 })
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
        return (await engine.run({ image }, { signal: AbortSignal.any([signal, late]) })) as string[]
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted)
          throw new ProblemError({
            code: 'cannot_be_served',
            detail: 'Reading the text of the image takes too long.',
          })
        if (!(error instanceof EngineFailed)) throw error
        const detail = 'The text of the image cannot be read.'
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

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RecognisedWord } from '@tollbook/extract/ocr/place-words'
import { restrictLoaders } from '@tollbook/vectorize/decode/decode-image'
import { Refusal, serveEngine } from '@tollbook/workers/serve-engine'
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js'
import type { OcrImage, RecognisedText } from './open-ocr.ts'
import { isNoise, prepareImage } from './prepare-image.ts'
import { readImage } from './read-image.ts'

type OcrLine = { readonly words: readonly RecognisedWord[] }

/** What Tesseract finds: blocks of paragraphs of lines of words. */
type OcrBlock = { readonly paragraphs: readonly { readonly lines: readonly OcrLine[] }[] }

/** Time of the processor for one image, ms: a page full of small print takes one to three seconds. */
const MAX_CPU_MS = 5_000
const CHECK_MS = 100

/** Integer models, twice as quick as those of floats. */
const MODELS = '4.0.0_best_int'

/** The images that are recognised have one line under the other, of letters as high as at this resolution. */
const PARAMETERS = { tessedit_pageseg_mode: PSM.SINGLE_BLOCK, user_defined_dpi: '300' }

// The process of `open-ocr.ts`. Everything is read from the packages; nothing is downloaded or cached.
serveEngine(async () => {
  restrictLoaders({ more: ['VipsForeignLoadTiff'] })
  const data = dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng')))
  const open = () =>
    createWorker('eng', OEM.LSTM_ONLY, {
      langPath: join(data, MODELS),
      gzip: true,
      cacheMethod: 'none',
      // A rejected image is the error of its order.
      errorHandler: () => {},
    })
  let worker = await open()
  await worker.setParameters(PARAMETERS)
  /** By a worker that is not replaced: an image that was given up must not go on with the next one's. */
  const recogniseBy = (current: Worker) => async (png: Buffer) => {
    if (current !== worker) throw new Error('the image was given up')
    const { data } = await current.recognize(png, {}, { blocks: true, text: false })
    const blocks = (data.blocks ?? []) as readonly OcrBlock[]
    return blocks.flatMap(({ paragraphs }) =>
      paragraphs.flatMap(({ lines }) => lines.flatMap(({ words }) => words)),
    )
  }
  return {
    about: null,
    async run(order): Promise<RecognisedText> {
      const image = await prepareImage((order as OcrImage).bytes)
      if (!image)
        throw new Refusal({
          detail:
            'The image is broken, has a side of more than 65,535 pixels, or more than 50 million pixels.',
        })
      if (isNoise(image))
        throw new Refusal({ detail: 'No text was found in the image: it looks like noise.' })
      const recogniser = { recognise: recogniseBy(worker), spentMs: createCpuTimer() }
      const read = await withinCpu(readImage(image, recogniser))
      if (read) return read
      const spent = worker
      worker = await open()
      await spent.terminate()
      await worker.setParameters(PARAMETERS)
      throw new Refusal({
        isStrike: true,
        detail: `Reading the text of the image takes more than ${MAX_CPU_MS / 1000} seconds of a processor.`,
      })
    },
  }
})

/** What the work returns, or null if this process, which does nothing else, spends more than its limit on it. */
async function withinCpu<Result>(work: Promise<Result>): Promise<Result | null> {
  const { promise: spent, resolve } = Promise.withResolvers<null>()
  const spentMs = createCpuTimer()
  const timer = setInterval(() => {
    if (spentMs() > MAX_CPU_MS) resolve(null)
  }, CHECK_MS)
  try {
    return await Promise.race([work, spent])
  } finally {
    clearInterval(timer)
  }
}

/** @returns the time of the processor that this process spent since, ms */
function createCpuTimer(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorker, OEM } from 'tesseract.js'
import { restrictLoaders } from '../../engines/vectorize/decode/decode-image.ts'
import { Refusal, serveEngine } from '../../workers/serve-engine.ts'
import type { OcrImage } from './open-ocr.ts'
import { isNoise, prepareImage } from './prepare-image.ts'

type OcrWord = { readonly text: string; readonly confidence: number }

type OcrLine = {
  readonly words: readonly OcrWord[]
  readonly bbox: { readonly y0: number; readonly y1: number }
}

/** What Tesseract finds: blocks of paragraphs of lines of words; confidence is 0 to 100. */
type OcrBlock = { readonly paragraphs: readonly { readonly lines: readonly OcrLine[] }[] }

/**
 * In photographs Tesseract finds letters where there are none, with a confidence of 23 to 42 on average. A line is text
 * if it has a word of three letters or digits, or two of two, that are sure; of such a line,
 * unlikely words, and marks that are not sure, are left out.
 */
const SURE = 75
const LIKELY = 50

/** Time of the processor for one image, ms: a page full of small print takes one to three seconds. */
const MAX_CPU_MS = 5_000
const CHECK_MS = 100

/** Integer models, twice as quick as those of floats. */
const MODELS = '4.0.0_best_int'

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
  return {
    about: null,
    async run(order): Promise<string[]> {
      const { bytes, isPrepared } = order as OcrImage
      const image = isPrepared ? Buffer.from(bytes) : await prepareImage(bytes)
      if (!image)
        throw new Refusal({
          detail:
            'The image is broken, has a side of more than 65,535 pixels, or more than 50 million pixels.',
        })
      if (await isNoise(image))
        throw new Refusal({ detail: 'No text was found in the image: it looks like noise.' })
      const read = await withinCpu(worker.recognize(image, {}, { blocks: true }))
      if (read) return joinWords((read.data.blocks ?? []) as readonly OcrBlock[])
      await worker.terminate()
      worker = await open()
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
  const before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    if (user + system > MAX_CPU_MS * 1000) resolve(null)
  }, CHECK_MS)
  try {
    return await Promise.race([work, spent])
  } finally {
    clearInterval(timer)
  }
}

/** The paragraphs of a recognised image, one line each. */
function joinWords(blocks: readonly OcrBlock[]): string[] {
  const paragraphs = blocks.flatMap((block) => block.paragraphs)
  return paragraphs.flatMap(({ lines }) => {
    const joined: string[] = []
    let last: OcrLine | undefined
    for (const line of lines.filter(isText)) {
      const likely = line.words.filter(
        (word) => word.confidence >= (/[\p{L}\p{N}]/u.test(word.text) ? LIKELY : SURE),
      )
      const text = likely.map((word) => word.text).join(' ')
      if (last && isNear(last, line)) joined.push(joinLines(joined.pop() ?? '', text))
      else joined.push(text)
      last = line
    }
    return joined
  })
}

/** Lines of one paragraph have about the same height, and less than a line between them. */
function isNear({ bbox: one }: OcrLine, { bbox: other }: OcrLine): boolean {
  const heights = [one.y1 - one.y0, other.y1 - other.y0].sort((a, b) => a - b)
  const [low = 0, high = 0] = heights
  return other.y0 - one.y1 < low && high < 2 * low
}

function isText({ words }: OcrLine): boolean {
  const sure = words
    .filter(({ confidence }) => confidence >= SURE)
    .map(({ text }) => text.replace(/[^\p{L}\p{N}]/gu, '').length)
    .filter((length) => length >= 2)
  return sure.length > 1 || sure.some((length) => length >= 3)
}

/** A word that is broken by a hyphen at the end of a line is one. */
function joinLines(before: string, line: string): string {
  return /\p{Ll}-$/u.test(before) && /^\p{Ll}/u.test(line) ? before.slice(0, -1) + line : `${before} ${line}`
}

import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import { pausedProblem } from '@tollbook/upstream/upstream-breaker'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import { workOnContent } from '../../../page/content/work-on-content.ts'
import { findSentIssues, readSent, SENT_LIMITS, sentFields } from '../../../page/sent-document.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { PROVIDERS } from '../../../translate/translation-backend.ts'

const detect = defineJob<typeof import('../../../translate/language/detect-language.ts').detectLanguage>({
  module: new URL('../../../translate/language/detect-language.ts', import.meta.url),
  name: 'detectLanguage',
  deadlineMs: 15_000,
})
const split = defineJob<typeof import('../../../translate/document/split-job.ts').splitInWorker>({
  module: new URL('../../../translate/document/split-job.ts', import.meta.url),
  name: 'splitInWorker',
  deadlineMs: 10_000,
})

const MAX_CHARS = 8_000
/** More text does not improve language detection. */
const MAX_DETECTED = 4_000

const language = z.string().trim().min(2).max(100)

const input = z.object({
  text: z
    .string()
    .regex(/\p{L}/u, 'must contain a letter')
    .refine((text) => [...text].length <= MAX_CHARS, `must have at most ${MAX_CHARS} characters`)
    .meta({ maxLength: MAX_CHARS })
    .optional()
    .describe('At most 8,000 code points; or `html` or `file`.'),
  html: sentFields.html.describe('By its main content.'),
  file: sentFields.file.describe('A document, as multipart/form-data.'),
  target: language.describe('Name (Spanish, español) or ISO code (es, spa, pt-BR).'),
  source: language.default('auto').describe('auto detects it.'),
  format: z
    .enum(['text', 'markdown'])
    .default('markdown')
    .describe('markdown preserves code, links and markup; both preserve URLs, placeholders, tags and lines.'),
})

type Input = z.output<typeof input>

const named = { code: z.string().describe('BCP 47.'), name: z.string().describe('In English.') }

/** A request and its answer; another model may choose other words. */
const TRANSLATE_EXAMPLE = {
  input: { text: '# The house\n\nThe **small** house is near `main.ts`.', target: 'Spanish' },
  output: {
    translation: '# La casa\n\nLa casa **pequeña** está cerca de `main.ts`.',
    source_language: { code: 'en', name: 'English', confidence: 0.83 },
    target_language: { code: 'es', name: 'Spanish' },
    characters: 51,
    provider: 'bergamot' as const,
    ts: '2026-11-21T10:00:00.000Z',
  },
}

export const translateText = defineEndpoint({
  id: 'translate-text',
  method: 'POST',
  effect: 'none',
  path: '/api/translate-text',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Translate text or a document',
  description:
    "Up to 8,000 characters of text, Markdown or a document (PDF, HTML, image) into another language. Code, URLs, placeholders and line breaks stay byte for byte. Pairs depend on the operator's set-up.",
  accepts: 'either',
  input,
  output: z.object({
    translation: z.string(),
    source_language: z.object({
      ...named,
      confidence: z.number().nullable().describe('0 to 1; null with `source`.'),
    }),
    target_language: z.object(named),
    characters: z.int().describe('Code points of the text.'),
    provider: z.enum(PROVIDERS),
    ts: z.iso.datetime(),
  }),
  example: TRANSLATE_EXAMPLE,
  limits: { ...SENT_LIMITS, timeoutMs: 150_000 },
  availability({ translator }: UtilityPorts) {
    if (!translator.isReady()) {
      const detail =
        'No translator is configured: add a model (tollbook models add bergamot-en-es), or set an upstream (TOLLBOOK_LIBRETRANSLATE_URL or TOLLBOOK_TRANSLATE_LLM_URL).'
      return { isAvailable: false, problem: { code: 'not_configured', detail } }
    }
    const seconds = translator.pauseSeconds()
    return seconds > 0
      ? { isAvailable: false, problem: pausedProblem('translation upstream', seconds) }
      : { isAvailable: true }
  },
  check: (args, { translator }: UtilityPorts, files) => [
    ...findTextIssues(args, files.get('file')),
    ...findIssues(args, translator),
  ],
  async handle(call: Call<Input, UtilityPorts, Address>) {
    const { input: args, ports, signal, now } = call
    const { translator } = ports
    const target = translator.names.find(args.target)
    if (!target) throw new Error('unreachable: validation determined the language')
    const whole = args.text ?? (await readText(call))
    const parts = await ports.workers.run(split, { text: whole, format: args.format }, signal)
    const prose = parts.flatMap((part) => (typeof part === 'string' ? [] : part.pieces))
    if (prose.length === 0) {
      const detail = 'There is nothing to translate besides code, addresses and markup.'
      throw new ProblemError({ code: 'cannot_be_served', detail })
    }
    const text = prose.filter((piece) => typeof piece === 'string').join('\n')
    const named = isAuto(args.source) ? null : translator.names.find(args.source)
    const { source, confidence } = named
      ? { source: named, confidence: null }
      : await translator.chooseSource(
          await ports.workers.run(detect, { text: text.slice(0, MAX_DETECTED) }, signal),
          target,
          signal,
        )
    const isMarkdown = args.format === 'markdown'
    const translated = await translator.translate({ parts, isMarkdown, source, target }, signal)
    return json({
      translation: translated.parts.join(''),
      source_language: {
        ...source,
        confidence: confidence === null ? null : Math.round(confidence * 100) / 100,
      },
      target_language: target,
      characters: [...whole].length,
      provider: translated.provider,
      ts: now.toISOString(),
    })
  },
})

/**
 * The text of the document that was sent, in the format of the call.
 * @throws ProblemError, which is not charged, if it is too long: a part of a document is not sold as the whole
 */
async function readText(call: Call<Input, UtilityPorts, Address>): Promise<string> {
  const source = readSent(call.input, call.files.get('file'))
  if (!source) throw new Error('unreachable: validation required a text or a document')
  const { format } = call.input
  // A character has at most two code units.
  const options = {
    isMainOnly: true,
    includeLinks: true,
    includeImages: true,
    format,
    maxChars: 2 * MAX_CHARS,
  }
  const { content, isTruncated } = await workOnContent(source, options, call)
  if (!isTruncated && [...content].length <= MAX_CHARS) return content
  const detail = `The text of the document has more than ${MAX_CHARS} characters, or cannot be read as a whole.`
  throw new ProblemError({ code: 'cannot_be_served', detail })
}

function findTextIssues({ text, html }: Input, file: UploadedFile | undefined): Issue[] {
  const isSent = html !== undefined || file !== undefined
  if (text === undefined && !isSent)
    return [{ parameter: 'text', detail: 'is required without html or file' }]
  if (text !== undefined && isSent)
    return [{ parameter: 'text', detail: 'is allowed only without html and file' }]
  return findSentIssues({ html }, file)
}

const isAuto = (source: string) => source.toLowerCase() === 'auto'

function findIssues(
  args: Pick<Input, 'source' | 'target'>,
  // Absent if only the form of a request is checked.
  translator: UtilityPorts['translator'] | undefined,
): readonly Issue[] {
  if (!translator) return []
  const source = isAuto(args.source) ? null : translator.names.find(args.source)
  const target = translator.names.find(args.target)
  const issues: Issue[] = []
  if (!target) issues.push({ parameter: 'target', detail: UNKNOWN })
  if (!source && !isAuto(args.source)) issues.push({ parameter: 'source', detail: `${UNKNOWN}, or auto` })
  if (!target || issues.length > 0) return issues
  const parameter = 'target'
  if (source?.code === target.code)
    return [{ parameter, detail: 'is already the language of the text', code: 'cannot_be_served' }]
  const problem = translator.findUnsupported(source, target)
  if (!problem) return []
  const detail = `is not available: ${problem.detail.replace(/\.$/, '')}`
  return [{ parameter, detail, code: problem.code }]
}

const UNKNOWN = 'must be a known language, by name, such as Spanish, or ISO code, such as es'

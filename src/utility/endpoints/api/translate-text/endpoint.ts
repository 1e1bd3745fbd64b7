import * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { type Fault, ProblemError } from '../../../../http/problem.ts'
import { pausedProblem } from '../../../../upstream/upstream-breaker.ts'
import { defineJob } from '../../../../workers/job.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { splitDocument } from '../../../translate/document/split-document.ts'
import { PROVIDERS } from '../../../translate/translation-backend.ts'

const detect = defineJob<typeof import('../../../translate/language/detect-language.ts').detectLanguage>({
  module: new URL('../../../translate/language/detect-language.ts', import.meta.url),
  name: 'detectLanguage',
  deadlineMs: 15_000,
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
    .describe('At most 8,000 characters (Unicode code points).'),
  target: language.describe('Name (Spanish, español, Brazilian Portuguese) or ISO code (es, spa, pt-BR).'),
  source: language.default('auto').describe('Language of the text, in the same forms; auto detects it.'),
  format: z
    .enum(['text', 'markdown'])
    .default('markdown')
    .describe('markdown preserves code, links and markup; both preserve URLs, placeholders, tags and lines.'),
})

type Input = z.output<typeof input>

const named = { code: z.string().describe('BCP 47.'), name: z.string().describe('In English.') }

/** A request and its answer, by Apertium 3.8.3 with eng-spa 0.8.1. */
const TRANSLATE_EXAMPLE = {
  input: { text: '# The house\n\nThe **small** house is near `main.ts`.', target: 'Spanish' },
  output: {
    translation: '# La casa\n\nLa **casa** pequeña es cerca `main.ts`.',
    source_language: { code: 'en', name: 'English', confidence: 0.83 },
    target_language: { code: 'es', name: 'Spanish' },
    characters: 51,
    provider: 'apertium' as const,
    ts: '2026-11-21T10:00:00.000Z',
  },
}

export const translateText = defineEndpoint({
  id: 'translate-text',
  method: 'POST',
  effect: 'none',
  path: '/api/translate-text',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Translate text or Markdown',
  description:
    "Up to 8,000 characters into another language, by name or ISO code; detects the source language. Markdown, code, URLs, placeholders and line breaks stay byte for byte. Pairs depend on the operator's set-up; 503 if there are none.",
  input,
  output: z.object({
    translation: z.string(),
    source_language: z.object({
      ...named,
      confidence: z.number().nullable().describe('0 to 1; null if the caller specified the language.'),
    }),
    target_language: z.object(named),
    characters: z.int().describe('Length of the text in Unicode code points.'),
    provider: z.enum(PROVIDERS),
    ts: z.iso.datetime(),
  }),
  example: TRANSLATE_EXAMPLE,
  // JSON may take six bytes for each half of a character beyond the BMP.
  limits: { bodyBytes: 131_072, timeoutMs: 150_000 },
  availability({ translator }: UtilityPorts) {
    if (!translator.isReady()) {
      const detail =
        'No translator is configured: install Apertium with language pairs, or set an upstream (TOLLBOOK_LIBRETRANSLATE_URL or TOLLBOOK_TRANSLATE_LLM_URL).'
      return { isAvailable: false, problem: { code: 'not_configured', detail } }
    }
    const seconds = translator.pauseSeconds()
    return seconds > 0
      ? { isAvailable: false, problem: pausedProblem('translation upstream', seconds) }
      : { isAvailable: true }
  },
  check: ({ source, target }, { translator }: UtilityPorts) => findFaults({ source, target }, translator),
  async handle({ input: args, ports, signal, now }: Call<Input, UtilityPorts, Address>) {
    const { translator } = ports
    const target = translator.names.find(args.target)
    if (!target) throw new Error('unreachable: validation determined the language')
    const parts = splitDocument(args.text, args.format)
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
      characters: [...args.text].length,
      provider: translated.provider,
      ts: now.toISOString(),
    })
  },
})

const isAuto = (source: string) => source.toLowerCase() === 'auto'

function findFaults(
  args: Pick<Input, 'source' | 'target'>,
  // Absent if only the form of a request is checked.
  translator: UtilityPorts['translator'] | undefined,
): readonly Fault[] {
  if (!translator) return []
  const source = isAuto(args.source) ? null : translator.names.find(args.source)
  const target = translator.names.find(args.target)
  const faults: Fault[] = []
  if (!target) faults.push({ parameter: 'target', detail: UNKNOWN })
  if (!source && !isAuto(args.source)) faults.push({ parameter: 'source', detail: `${UNKNOWN}, or auto` })
  if (!target || faults.length > 0) return faults
  const parameter = 'target'
  if (source?.code === target.code)
    return [{ parameter, detail: 'is already the language of the text', code: 'cannot_be_served' }]
  const problem = translator.findUnsupported(source, target)
  if (!problem) return []
  const detail = `is not available: ${problem.detail.replace(/\.$/, '')}`
  return [{ parameter, detail, code: problem.code }]
}

const UNKNOWN = 'must be a known language, by name, such as Spanish, or ISO code, such as es'

import * as z from 'zod'
import {
  type ChatChunk,
  type ChatCompletion,
  type ChatRequest,
  chatCompletion,
  hasContent,
} from '../chat/chat-messages.ts'
import type { ChatUpstream } from '../chat/chat-upstream.ts'
import { ModelFailed } from '../failure.ts'
import { holdFirstContent } from '../hold-first-content.ts'
import type { Unserved } from '../unserved.ts'
import { createGgufProcess, toFailure } from './gguf-process.ts'
import type { GgufDelta, GgufResult, GgufSettings } from './orders.ts'
import { toGrammarSchema } from './to-schema.ts'

export type GgufOptions = GgufSettings & {
  /** Maximum number of answers waiting for a slot. */
  readonly maxWaiting: number
  readonly firstTokenMs: number
  readonly totalMs: number
}

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

const NOT_SUPPORTED = 'is not supported by the model of this tier'
/** Fields of the API without a counterpart in llama.cpp here. */
const FIELDS = ['top_logprobs', 'reasoning_effort', 'verbosity', 'functions', 'function_call'] as const

const schemaFormat = z.object({
  type: z.literal('json_schema'),
  json_schema: z.object({ schema: z.unknown().optional() }),
})

const delta = z.object({
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z
    .array(
      z.object({
        index: z.int(),
        id: z.string().optional(),
        function: z.object({ name: z.string().optional(), arguments: z.string() }),
      }),
    )
    .optional(),
})

/**
 * An operator's model in a .gguf file, run by llama.cpp in its own process, so that neither its work nor a
 * crash blocks the server. The first health check loads it.
 */
export function createGgufUpstream(options: GgufOptions): ChatUpstream {
  const { maxWaiting, firstTokenMs, totalMs, ...settings } = options
  const { engine, acquire, explain, isAlive } = createGgufProcess({
    module: new URL('./gguf-engine.ts', import.meta.url),
    settings: settings satisfies GgufSettings,
    max: settings.sequences,
    maxWaiting,
    waitMs: firstTokenMs / 2,
  })

  async function* run(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const left = new AbortController()
    const ends = AbortSignal.any([signal, left.signal])
    const release = await acquire(ends)
    const deltas: GgufDelta[] = []
    let wake = () => {}
    let isDone = false
    const work = engine
      .run(
        { request },
        {
          signal: ends,
          onEvent(event) {
            // Emitted by the engine module.
            deltas.push(event as GgufDelta)
            wake()
          },
        },
      )
      .finally(() => {
        isDone = true
        release()
        wake()
      })
    work.catch(() => {})
    try {
      yield toChunk({ role: 'assistant', content: '' })
      while (!isDone || deltas.length > 0) {
        const delta = deltas.shift()
        if (delta) yield toChunk(delta)
        else
          await new Promise<void>((resolve) => {
            wake = resolve
            if (isDone || deltas.length > 0) resolve()
          })
      }
      const { finishReason, usage } = (await work) as GgufResult
      yield toChunk({}, finishReason)
      yield { choices: [], usage }
    } finally {
      left.abort(new Error('the consumer stopped reading'))
    }
  }

  /** Converts errors of the engine to model failures. */
  async function* runAsModel(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const late = AbortSignal.timeout(totalMs)
    try {
      yield* run(request, AbortSignal.any([signal, late]))
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) throw new ModelFailed('the model timed out', { isLate: true })
      throw toFailure(error)
    }
  }

  return {
    findUnserved,
    explain,
    isAlive,
    async complete(request, signal): Promise<ChatCompletion> {
      const chunks: ChatChunk[] = []
      for await (const chunk of runAsModel(request, signal)) chunks.push(chunk)
      return joinDeltas(chunks)
    },
    stream(request, signal) {
      // A generator that is waiting can only be stopped by its signal.
      const left = new AbortController()
      const chunks = runAsModel(request, AbortSignal.any([signal, left.signal]))
      const close = () => left.abort(new Error('the consumer stopped reading'))
      return holdFirstContent(chunks, { hasContent, firstTokenMs, close })
    },
  }
}

function toChunk(delta: GgufDelta, finishReason: string | null = null): ChatChunk {
  return { choices: [{ index: 0, delta, finish_reason: finishReason }] }
}

/** Joins chunks into a whole answer. */
function joinDeltas(chunks: readonly ChatChunk[]): ChatCompletion {
  let content = ''
  let reasoning = ''
  const calls: ToolCall[] = []
  let finishReason: string | null = null
  let usage: unknown
  for (const chunk of chunks) {
    const [choice] = chunk.choices
    const read = delta.parse(choice?.delta ?? {})
    content += read.content ?? ''
    reasoning += read.reasoning_content ?? ''
    for (const { index, id, function: made } of read.tool_calls ?? []) {
      const call = calls[index] ?? { id: id ?? '', type: 'function', function: { name: '', arguments: '' } }
      calls[index] = call
      call.function.name += made.name ?? ''
      call.function.arguments += made.arguments
    }
    finishReason = choice?.finish_reason ?? finishReason
    usage = chunk.usage ?? usage
  }
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return chatCompletion.parse({
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
  })
}

/** Finds the parts of a request that a local model cannot serve: it supports text, tools and grammars. */
function findUnserved(request: ChatRequest): readonly Unserved[] {
  const found: Unserved[] = FIELDS.filter((name) => isGiven(request[name])).map((parameter) => ({
    parameter,
    detail: NOT_SUPPORTED,
  }))
  if (request.logprobs === true) found.push({ parameter: 'logprobs', detail: NOT_SUPPORTED })
  const { tool_choice: choice, response_format: format, tools } = request
  if (isGiven(choice) && choice !== 'auto' && choice !== 'none')
    found.push({ parameter: 'tool_choice', detail: `${NOT_SUPPORTED}, except auto and none` })
  if (isConstraint(format) && Array.isArray(tools) && tools.length > 0 && choice !== 'none')
    found.push({ parameter: 'response_format', detail: `${NOT_SUPPORTED} together with tools` })
  return [...found, ...findSchemaIssues(format), ...findPartIssues(request)]
}

function findSchemaIssues(format: unknown): readonly Unserved[] {
  const read = schemaFormat.safeParse(format)
  if (!read.success) return []
  const { schema } = read.data.json_schema
  const parameter = 'response_format.json_schema.schema'
  if (schema === undefined) return [{ parameter, detail: 'is required by the model of this tier' }]
  const made = toGrammarSchema(schema)
  if (!('unknownWord' in made)) return []
  return [{ parameter, detail: `must not use ${made.unknownWord} with the model of this tier` }]
}

function findPartIssues({ messages }: ChatRequest): readonly Unserved[] {
  return messages.flatMap(({ content }, at) =>
    (Array.isArray(content) ? content : []).flatMap((part: { readonly type?: unknown }, index) =>
      part.type === 'text' || part.type === 'refusal'
        ? []
        : [
            {
              parameter: `messages.${at}.content.${index}`,
              detail: 'must be text: this model accepts nothing else',
            },
          ],
    ),
  )
}

function isConstraint(format: unknown): boolean {
  return typeof format === 'object' && format !== null && 'type' in format && format.type !== 'text'
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

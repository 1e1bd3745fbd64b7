import { randomInt } from 'node:crypto'
import type {
  ChatModelFunctions,
  Llama,
  LlamaChat,
  LlamaContextSequence,
  LlamaGrammar,
  TokenBias,
} from 'node-llama-cpp'
import * as z from 'zod'
import type { ChatRequest } from '../chat/chat-messages.ts'
import type { GgufDelta, GgufResult } from './orders.ts'
import { toHistory } from './to-history.ts'
import { toGrammarSchema } from './to-schema.ts'

/** The fields that control generation. They have been validated, so invalid ones are ignored. */
const settings = z.object({
  max_tokens: z.int().optional(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  tools: z
    .array(
      z.object({
        function: z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.unknown().optional(),
        }),
      }),
    )
    .nullish(),
  response_format: z
    .object({ type: z.string(), json_schema: z.object({ schema: z.unknown() }).optional() })
    .nullish(),
})

type Settings = z.output<typeof settings>

type Work = {
  readonly llama: Llama
  readonly chat: LlamaChat
  readonly sequence: LlamaContextSequence
  readonly toTokenBias: (biases: ReadonlyMap<number, number>) => TokenBias
  readonly signal: AbortSignal
  readonly emit: (delta: GgufDelta) => void
  /** @throws if there is no room for an answer */
  readonly refuseTooLong: (promptTokens: number) => never
}

/** The API's default. */
const TEMPERATURE = 1
/** At or below this bias the API bans a token. */
const NEVER_BIAS = -100
/** Tokens that a chat template may add when an answer continues. Chosen: several times the number of ChatML. */
const SPARE_TOKENS = 16

/** Generates one answer and emits its deltas. */
export async function answer(request: ChatRequest, work: Work): Promise<GgufResult> {
  const { chat, sequence, signal, emit } = work
  const provided = settings.parse(request)
  const history = toHistory(request.messages)
  const functions = toFunctions(provided)
  const prompt = chat.chatWrapper.generateContextState({
    chatHistory: history.at(-1)?.type === 'model' ? history : [...history, { type: 'model', response: [] }],
    ...(functions && { availableFunctions: functions, documentFunctionParams: true }),
  })
  const promptTokens = prompt.contextText.tokenize(chat.model.tokenizer).length
  const room = sequence.contextSize - promptTokens - SPARE_TOKENS
  if (room < 1) work.refuseTooLong(promptTokens)
  const before = sequence.tokenMeter.getState()
  const callIds = new Map<number, string>()
  const result = await chat.generateResponse(history, {
    ...toSampling(provided, work),
    signal,
    maxTokens: Math.min(provided.max_tokens ?? room, room),
    customStopTriggers: [provided.stop ?? []].flat().filter((text) => text !== ''),
    // Room is reserved above, so the caller's messages are never truncated.
    contextShift: { strategy: refuseShift },
    onResponseChunk: ({ type, segmentType, text }) => {
      if (text === '') return
      if (type === undefined) emit({ content: text })
      else if (segmentType === 'thought') emit({ reasoning_content: text })
    },
    ...(functions
      ? {
          functions,
          documentFunctionParams: true,
          ...(provided.parallel_tool_calls === false && { maxParallelFunctionCalls: 1 }),
          onFunctionCallParamsChunk: ({ callIndex: index, functionName, paramsChunk }) => {
            const isFirst = !callIds.has(index)
            if (isFirst) callIds.set(index, `call_${randomInt(2 ** 48 - 1).toString(36)}`)
            const head = { id: callIds.get(index), type: 'function' as const }
            const call = { ...(isFirst && { name: functionName }), arguments: paramsChunk }
            emit({ tool_calls: [{ index, ...(isFirst && head), function: call }] })
          },
        }
      : await toGrammar(provided, work)),
  })
  const { usedInputTokens, usedOutputTokens } = sequence.tokenMeter.diff(before)
  const isCall = result.metadata.stopReason === 'functionCalls'
  return {
    finishReason: isCall ? 'tool_calls' : result.metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: usedOutputTokens,
      total_tokens: promptTokens + usedOutputTokens,
      // The meter counts the last token of the prompt as output, because it produces the first token of the answer.
      prompt_tokens_details: { cached_tokens: Math.max(0, promptTokens - usedInputTokens - 1) },
    },
  }
}

function refuseShift(): never {
  throw new Error('the conversation exceeds the context')
}

function toSampling(provided: Settings, { toTokenBias, sequence }: Work) {
  const { presence_penalty: presence, frequency_penalty: frequency, seed, logit_bias } = provided
  const biases = Object.entries(logit_bias ?? {}).map(([token, bias]): [number, number] => [
    Number(token),
    bias <= NEVER_BIAS ? Number.NEGATIVE_INFINITY : bias,
  ])
  return {
    temperature: provided.temperature ?? TEMPERATURE,
    topP: provided.top_p ?? 1,
    seed: seed === null || seed === undefined ? randomInt(2 ** 32 - 1) : Math.abs(Math.trunc(seed)) % 2 ** 32,
    repeatPenalty:
      presence || frequency
        ? {
            lastTokens: sequence.contextSize,
            penalty: 1,
            frequencyPenalty: frequency ?? 0,
            presencePenalty: presence ?? 0,
          }
        : (false as const),
    ...(biases.length > 0 && { tokenBias: toTokenBias(new Map(biases)) }),
  }
}

function toFunctions({ tools, tool_choice }: Settings): ChatModelFunctions | undefined {
  if (!tools || tools.length === 0 || tool_choice === 'none') return undefined
  return Object.fromEntries(
    tools.map(({ function: { name, description, parameters } }) => {
      const made = parameters === undefined ? undefined : toGrammarSchema(parameters)
      // If a grammar cannot express the schema, any object is accepted; the prompt describes the schema.
      const params = made && ('schema' in made ? made.schema : { type: 'object', additionalProperties: true })
      return [name, { ...(description !== undefined && { description }), params: params as never }]
    }),
  )
}

async function toGrammar(
  { response_format: format }: Settings,
  { llama }: Work,
): Promise<{ grammar?: LlamaGrammar }> {
  if (!format || format.type === 'text') return {}
  if (format.type === 'json_object') return { grammar: await llama.getGrammarFor('json') }
  const made = toGrammarSchema(format.json_schema?.schema)
  if (!('schema' in made)) throw new Error('unreachable: the schema has been validated')
  // Every keyword has been validated.
  return { grammar: await llama.createGrammarForJsonSchema(made.schema as never) }
}

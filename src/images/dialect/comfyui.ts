import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { ProblemError } from '../../http/problem.ts'
import { askUpstream, askUpstreamJson } from '../../upstream/ask-upstream.ts'
import { type ImageMaker, type ImageOrder, MAX_SEED } from '../image-maker.ts'
import {
  failed,
  IMAGE_TIMEOUT_MS,
  IMAGE_UPSTREAM,
  type ImageUpstream,
  MAX_ANSWER_BYTES,
} from '../upstream.ts'
import { fillWorkflow, type Workflow } from './comfyui-workflow.ts'

/** https://docs.comfy.org/development/comfyui-server/comms_routes */
const queuedSchema = z.object({ prompt_id: z.string().regex(/^[\w-]{1,100}$/) })

const fileSchema = z.object({
  filename: z.string(),
  subfolder: z.string().default(''),
  type: z.string().default('output'),
})
type ImageFile = z.output<typeof fileSchema>

/** Empty until the workflow has finished. */
const historySchema = z.record(
  z.string(),
  z.object({
    outputs: z.record(z.string(), z.object({ images: z.array(fileSchema).optional().catch(undefined) })),
    status: z.object({ status_str: z.string() }).nullish(),
  }),
)

const REQUEST_TIMEOUT_MS = 15_000

type Options = ImageUpstream & {
  readonly workflow: Workflow
  /** Polling interval for the image, ms; default 500. */
  readonly pollMs?: number
}

/** Generates images with a workflow of the operator: queued by `/prompt`, awaited in `/history`, fetched by `/view`. */
export function createComfyui(options: Options): Pick<ImageMaker, 'engine' | 'make'> {
  return {
    engine: 'comfyui',
    async make(order, signal) {
      const seed = order.seed ?? randomInt(MAX_SEED + 1)
      const id = await queue({ ...order, seed }, options, signal)
      const deadline = AbortSignal.timeout(options.timeoutMs ?? IMAGE_TIMEOUT_MS)
      try {
        const file = await awaitImage(id, options, AbortSignal.any([signal, deadline]))
        const query = new URLSearchParams(file)
        const answer = await askUpstream(
          options.fetch,
          { ...get(options, `/view?${query}`), accept: 'image/*', maxBytes: MAX_ANSWER_BYTES },
          signal,
        )
        return { bytes: answer.body, revisedPrompt: null, seed }
      } catch (error) {
        if (!signal.aborted && !deadline.aborted) throw error
        await unqueue(id, options)
        signal.throwIfAborted()
        const detail = 'The image upstream took too long.'
        throw new ProblemError({ code: 'upstream_timeout', detail }, { cause: error })
      }
    },
  }
}

async function queue(
  order: ImageOrder & { readonly seed: number },
  options: Options,
  signal: AbortSignal,
): Promise<string> {
  const body = { prompt: fillWorkflow(options.workflow, order), client_id: randomUUID() }
  const request = { ...post(options, '/prompt', body), schema: queuedSchema, expected: 'a queued workflow' }
  return (await askUpstreamJson(options.fetch, request, signal)).prompt_id
}

async function awaitImage(id: string, options: Options, signal: AbortSignal): Promise<ImageFile> {
  for (;;) {
    const request = { ...get(options, `/history/${id}`), schema: historySchema, expected: 'a history' }
    const entry = (await askUpstreamJson(options.fetch, request, signal))[id]
    if (entry) {
      const files = Object.values(entry.outputs).flatMap(({ images }) => images ?? [])
      // Previews have the type temp.
      const file = files.find(({ type }) => type === 'output') ?? files[0]
      if (file) return file
      throw failed(
        entry.status?.status_str === 'error'
          ? 'The workflow of the image upstream failed.'
          : 'The workflow of the image upstream returned no image.',
      )
    }
    await wait(options.pollMs ?? 500, undefined, { signal })
  }
}

/** Removes an abandoned workflow from the queue; a running one cannot be stopped without stopping others. */
async function unqueue(id: string, options: Options): Promise<void> {
  const request = post(options, '/queue', { delete: [id] })
  await options.fetch(request.url, request).catch(() => {
    // Best effort: the actual failure is already reported.
  })
}

function get({ url, key }: Options, path: string) {
  return {
    method: 'GET' as const,
    url: `${url}${path}`,
    name: IMAGE_UPSTREAM,
    headers: { ...(key && { authorization: `Bearer ${key}` }) },
    maxBytes: 10_000_000,
    timeoutMs: REQUEST_TIMEOUT_MS,
  }
}

function post(options: Options, path: string, body: unknown) {
  const { headers, ...rest } = get(options, path)
  return {
    ...rest,
    method: 'POST' as const,
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  }
}

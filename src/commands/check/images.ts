import * as z from 'zod'
import type { Config } from '../../config.ts'
import { loadWorkflow } from '../../images/dialect/comfyui-workflow.ts'
import { askProbe } from './ask-probe.ts'
import { checkChatModels } from './chat-models.ts'
import type { Finding } from './finding.ts'

const NAME = 'images'
/** https://github.com/AUTOMATIC1111/stable-diffusion-webui/wiki/API, `GET /sdapi/v1/sd-models`. */
const checkpoints = z.array(z.object({ title: z.string(), model_name: z.string() }))
/** https://docs.comfy.org/development/comfyui-server/comms_routes, `GET /system_stats`. */
const stats = z.looseObject({ devices: z.array(z.unknown()) })

/** Checks whether the upstream of `/api/generate-image` answers; generates no image. */
export async function checkImages(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_IMAGE_URL: url, TOLLBOOK_IMAGE_DIALECT: dialect } = config
  const { TOLLBOOK_IMAGE_KEY: key, TOLLBOOK_IMAGE_MODEL: model } = config
  if (url === undefined)
    return [{ verdict: 'note', name: NAME, text: 'no TOLLBOOK_IMAGE_URL; /api/generate-image is not sold' }]
  const place = { name: NAME, setting: 'TOLLBOOK_IMAGE_URL', keySetting: 'TOLLBOOK_IMAGE_KEY' }
  const other = { verdict: 'failed', text: `is not ${dialect}; check TOLLBOOK_IMAGE_DIALECT` } as const
  switch (dialect) {
    case 'openai':
      return [await checkChatModels(config, { name: NAME, url, key, model, settings: 'TOLLBOOK_IMAGE' })]
    case 'automatic1111': {
      const headers = { authorization: `Basic ${Buffer.from(key ?? '').toString('base64')}` }
      const judge = (json: unknown) => {
        const read = checkpoints.safeParse(json)
        if (!read.success) return other
        const isThere = read.data.some(({ title, model_name }) => model === title || model === model_name)
        if (model === undefined || isThere)
          return { verdict: 'ok', text: `answers, with ${read.data.length} models` } as const
        return { verdict: 'failed', text: `has no model ${model}; check TOLLBOOK_IMAGE_MODEL` } as const
      }
      const probe = { ...place, url: `${url}/sdapi/v1/sd-models`, judge }
      return [await askProbe(config, { ...probe, ...(key !== undefined && { headers }) })]
    }
    case 'comfyui': {
      const headers = { authorization: `Bearer ${key}` }
      const judge = (json: unknown) =>
        stats.safeParse(json).success ? ({ verdict: 'ok', text: 'answers' } as const) : other
      const probe = { ...place, url: `${url}/system_stats`, judge }
      return [
        await askProbe(config, { ...probe, ...(key !== undefined && { headers }) }),
        await checkWorkflow(config),
      ]
    }
    default:
      throw new Error('unreachable', { cause: dialect satisfies never })
  }
}

async function checkWorkflow({ TOLLBOOK_IMAGE_WORKFLOW: path }: Config): Promise<Finding> {
  const name = 'TOLLBOOK_IMAGE_WORKFLOW'
  if (path === undefined) return { verdict: 'failed', name: NAME, text: `comfyui needs ${name}` }
  try {
    await loadWorkflow(path)
    return { verdict: 'ok', name: NAME, text: `${name} is readable` }
  } catch (error) {
    return {
      verdict: 'failed',
      name: NAME,
      text: `${name}: ${error instanceof Error ? error.message : error}`,
    }
  }
}

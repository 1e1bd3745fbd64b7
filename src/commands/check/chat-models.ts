import * as z from 'zod'
import type { Config } from '../../config.ts'
import { askProbe } from './ask-probe.ts'
import type { Finding } from './finding.ts'

/** https://platform.openai.com/docs/api-reference/models/list */
const models = z.object({ data: z.array(z.object({ id: z.string() })) })

type Upstream = {
  readonly name: string
  /** Base URL of the dialect, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly key: string | undefined
  /** Undefined: the upstream's own choice. */
  readonly model: string | undefined
  /** `TOLLBOOK_…`, to which `_URL`, `_KEY` and `_MODEL` are added. */
  readonly settings: string
  /** Where one setting names a file that holds all of it, what it is asked with. */
  readonly inFile?: { readonly headers: Readonly<Record<string, string>> }
}

/** Asks an upstream in the dialect of OpenAI for its models, which costs nothing. */
export function checkChatModels(config: Config, upstream: Upstream): Promise<Finding> {
  const { name, url, key, model, settings, inFile } = upstream
  const setting = (part: 'URL' | 'KEY' | 'MODEL') => (inFile ? settings : `${settings}_${part}`)
  return askProbe(config, {
    name,
    url: `${url}/models`,
    setting: setting('URL'),
    keySetting: setting('KEY'),
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
    ...inFile,
    judge(json) {
      const read = models.safeParse(json)
      if (!read.success)
        return { verdict: 'fault', text: `answers /models in another form; see ${setting('URL')}` }
      const { data } = read.data
      if (model === undefined || data.some(({ id }) => id === model))
        return { verdict: 'ok', text: model === undefined ? 'answers' : `has the model ${model}` }
      return { verdict: 'note', text: `does not list the model ${model}; see ${setting('MODEL')}` }
    },
    ifUnknown: {
      verdict: 'note',
      text: 'answers, and lists no models, so nothing is known of key and model',
    },
  })
}

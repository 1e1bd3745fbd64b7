import * as z from 'zod'
import type { Config } from '../config.ts'
import { askProbe } from './ask-probe.ts'
import type { Finding } from './finding.ts'

/** https://platform.openai.com/docs/api-reference/models/list */
const models = z.object({ data: z.array(z.object({ id: z.string() })) })

type Upstream = {
  readonly name: string
  /** Base URL of the dialect, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly key: string | undefined
  /** Undefined: the upstream chooses. */
  readonly model: string | undefined
  /** Prefix `TOLLBOOK_…` of the settings `_URL`, `_KEY` and `_MODEL`. */
  readonly settings: string
  /** If one setting names a file with all of these, the name of that setting. */
  readonly inFile?: { readonly headers: Readonly<Record<string, string>> }
}

/** Lists the models of an upstream with OpenAI's dialect, which costs nothing. */
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
        return { verdict: 'failed', text: `answers /models in an unexpected format; check ${setting('URL')}` }
      const { data } = read.data
      if (model === undefined || data.some(({ id }) => id === model))
        return { verdict: 'ok', text: model === undefined ? 'answers' : `has the model ${model}` }
      return { verdict: 'note', text: `does not list the model ${model}; check ${setting('MODEL')}` }
    },
    ifUnknown: {
      verdict: 'note',
      text: 'answers, but lists no models, so key and model are unchecked',
    },
  })
}

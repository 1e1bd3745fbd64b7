import { type Command, UsageError } from './command.ts'
import { addModel } from './models/add-model.ts'
import { renderModels } from './models/list-models.ts'
import { CATALOGUE, type CatalogueModel } from './models/model-catalogue.ts'
import { removeModel } from './models/remove-model.ts'
import { runOnce } from './setup/shutdown.ts'

/** `tollbook models`: downloads models and sells them. */
export const models: Command = {
  name: 'models',
  summary: 'List, download or remove models of language, speech and translation that run on this machine.',
  usage: 'list | add <name> | remove <name> [options]',
  examples: ['models list', 'models add qwen2.5-0.5b-instruct', 'models remove whisper-base'],
  notes: [
    'add downloads a model of the list into the folder models of TOLLBOOK_DATA_DIR, verifies its SHA-256, tries it once',
    'and has it sold from the next start on; nothing else contacts its source. An interrupted download is continued by',
    'the same command. Of several models of a kind, the one added last is used. TOLLBOOK_MODELS_FILE,',
    'TOLLBOOK_WHISPER_FILE and TOLLBOOK_TRANSCRIPTION_URL come first. Translation models are used together.',
    'See docs/models.md.',
  ],
  exitCodes: { 1: 'not installed' },
  options: {
    from: {
      type: 'string',
      value: 'url',
      help: 'download the same file from here, such as a mirror, or the same files from this folder; for add',
    },
    json: { type: 'boolean', help: 'print JSON; for list' },
  },
  async run({ values, positionals }) {
    const [verb, name, ...surplus] = positionals
    const isList = verb === 'list' && name === undefined
    const isOther = (verb === 'add' || verb === 'remove') && name !== undefined
    if (!(isList || isOther) || surplus.length > 0)
      throw new UsageError('models needs list, add <name> or remove <name>')
    const from = values.from as string | undefined
    if (from !== undefined && !/^https?:$/.test(URL.parse(from)?.protocol ?? ''))
      throw new UsageError(`--from: not an http(s) URL: ${from}`)
    let output: string | null = null
    await runOnce(async (config, { signal }) => {
      if (verb === 'list') output = await renderModels(config, CATALOGUE, values.json === true)
      else if (verb === 'add') output = await addModel(findModel(name), { config, signal, from })
      else output = await removeModel(findModel(name), config)
    })
    process.stdout.write(output ?? `${name} is not installed\n`)
    return output === null ? 1 : 0
  },
}

function findModel(name: string | undefined): CatalogueModel {
  const found = CATALOGUE.find((one) => one.name === name)
  if (found) return found
  throw new UsageError(`no model ${name} (expected one of ${CATALOGUE.map((one) => one.name).join(', ')})`)
}

import { ModelRefused } from '../failure.ts'

/** Rejects a request that the dialect of the model's upstream cannot express. @throws ModelRefused always */
export function refuse(parameter: string, detail: string): never {
  throw new ModelRefused(`the dialect of the upstream does not support: ${parameter}`, {
    isTooLong: false,
    unserved: [{ parameter, detail }],
  })
}

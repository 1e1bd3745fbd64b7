import type { Address } from '@tollbook/chain/hex'
import { payeeAddress } from '@tollbook/chain/wallet-address'
import type { AliasHost } from '@tollbook/endpoints/alias-service'
import * as z from 'zod'
import { aliases, tags, url } from './forms.ts'

/** What settings say of one service; all of it may be absent. */
export type ServiceSettings = {
  /** 0 selects a free one. */
  readonly port?: number | undefined
  readonly baseUrl?: string | undefined
  readonly aliases: readonly AliasHost[]
  readonly tags?: readonly string[] | undefined
  readonly payTo?: Address | undefined
  /** Those that are set. */
  readonly set: readonly ServiceSuffix[]
}

/** The settings of every service that is sold, after `TOLLBOOK_<NAME>_`. */
export const SERVICE_FORMS = {
  PORT: z.coerce.number().int().min(0).max(65_535),
  BASE_URL: url,
  ALIASES: aliases,
  TAGS: tags,
  PAY_TO: payeeAddress,
} as const
export type ServiceSuffix = keyof typeof SERVICE_FORMS

export const NO_SETTINGS: ServiceSettings = Object.freeze({ aliases: [], set: [] })

export const SERVICE_SUFFIXES = Object.keys(SERVICE_FORMS) as ServiceSuffix[]
const SETTING = new RegExp(`^TOLLBOOK_([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)_(${SERVICE_SUFFIXES.join('|')})$`)
/** Parts that are not sold, which have other settings. */
const NO_SERVICES: ReadonlySet<string> = new Set([
  'REPORT',
  'FACILITATOR',
  'INDEXER',
  'DEVCHAIN',
  'CONSOLE',
  'SELL',
])

/** The name of a setting of a service: `TOLLBOOK_MY_SHOP_PAY_TO` of `my-shop`. */
export function serviceSetting(service: string, suffix: ServiceSuffix): string {
  return `TOLLBOOK_${service.toUpperCase().replaceAll('-', '_')}_${suffix}`
}

/** The service and the kind of a setting; null if it is none of a service. */
export function readServiceSetting(
  setting: string,
): { readonly service: string; readonly suffix: ServiceSuffix } | null {
  const [, prefix = '', suffix] = SETTING.exec(setting) ?? []
  if (suffix === undefined || NO_SERVICES.has(prefix)) return null
  return { service: prefix.toLowerCase().replaceAll('_', '-'), suffix: suffix as ServiceSuffix }
}

/** A schema of these settings, which `toServices` groups by service. */
export function serviceShape(settings: readonly string[]): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    settings.flatMap((setting): [string, z.ZodType][] => {
      const read = readServiceSetting(setting)
      return read ? [[setting, SERVICE_FORMS[read.suffix]]] : []
    }),
  )
}

/** What parsed settings say of each service that they name. */
export function toServices(parsed: Readonly<Record<string, unknown>>): ReadonlyMap<string, ServiceSettings> {
  const names = Object.keys(parsed).flatMap((setting) => readServiceSetting(setting)?.service ?? [])
  return new Map(
    [...new Set(names)].map((name) => {
      const read = <S extends ServiceSuffix>(suffix: S) =>
        // Parsed by its own form.
        parsed[serviceSetting(name, suffix)] as z.output<(typeof SERVICE_FORMS)[S]> | undefined
      return [
        name,
        {
          port: read('PORT'),
          baseUrl: read('BASE_URL'),
          aliases: read('ALIASES') ?? [],
          tags: read('TAGS'),
          payTo: read('PAY_TO'),
          set: SERVICE_SUFFIXES.filter((suffix) => read(suffix) !== undefined),
        },
      ]
    }),
  )
}

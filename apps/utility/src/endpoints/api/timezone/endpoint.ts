import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { providedValue, withOtherNames } from '@tollbook/endpoints/other-names'
import { defineJob } from '@tollbook/workers/job'
import * as z from 'zod'
import type { UtilityPorts } from '../../../ports.ts'

const LAT = ['lat', 'latitude'] as const
const LON = ['lon', 'lng', 'longitude'] as const

/** Required by the licences of the data. */
const ATTRIBUTION =
  'Zone boundaries: timezone-boundary-builder, made from OpenStreetMap data, © OpenStreetMap contributors, ODbL 1.0. Clock changes: IANA tz database.'

const place = defineJob<typeof import('./describe-place.ts').describePlace>({
  module: new URL('./describe-place.ts', import.meta.url),
  name: 'describePlace',
  deadlineMs: 8_000,
})

const latitude = z.number().min(-90).max(90)
const longitude = z.number().min(-180).max(180)

const input = withOtherNames(
  z.object({
    lat: latitude.describe('Degrees north, -90 to 90.').optional(),
    latitude: latitude.describe('Same as lat.').optional(),
    lon: longitude.describe('Degrees east, -180 to 180.').optional(),
    lng: longitude.describe('Same as lon.').optional(),
    longitude: longitude.describe('Same as lon.').optional(),
    at: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe(
        'Instant: ISO 8601 with Z or an offset, 1970 to 2100, such as 2026-07-01T12:00Z. Defaults to now.',
      ),
  }),
  LAT,
  LON,
)

const clocks = {
  utc_offset: z.string().describe('Such as +02:00, with seconds only if there are any.'),
  utc_offset_seconds: z.int(),
  abbreviation: z
    .string()
    .describe('As in the tz database, such as CEST, or +04 where no letters are in use.'),
  dst: z
    .boolean()
    .describe('As in the tz database, where Irish winter time is the exception to standard time.'),
}

type Input = z.output<typeof input>

/** A + in a query string decodes to a space, so an offset may arrive with one. */
const FORM = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+\- ]\d{2}:?\d{2})$/i

export const timezone = defineEndpoint({
  id: 'timezone',
  method: 'GET',
  path: '/api/timezone',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Time zone of a location',
  description:
    'The IANA time zone at a latitude and longitude, now or at another time: UTC offset, abbreviation, DST, local time, next clock change, other zones in use there. Approximate within some hundred metres of borders.',
  input,
  output: z.object({
    lat: z.number(),
    lon: z.number(),
    at: z.iso.datetime().describe('The instant that all other fields refer to.'),
    timezone: z.string().describe('IANA name; at sea Etc/GMT names, whose sign is inverted.'),
    alternatives: z.array(z.string()).describe('Other zones in use there.'),
    ...clocks,
    dst_offset_seconds: z
      .int()
      .describe('Offset that DST adds to standard time; 0 without DST, negative in Ireland.'),
    next_transition: z
      .object({ at: z.iso.datetime(), ...clocks })
      .nullable()
      .describe('The local time after the next clock change; null if none is planned.'),
    local_time: z.string(),
    approximate: z.literal(true).describe('Borders are simplified.'),
    note: z.string().nullable(),
    attribution: z.string(),
    ts: z.iso.datetime(),
  }),
  example: {
    input: { lat: 48.8566, lon: 2.3522 },
    output: {
      lat: 48.8566,
      lon: 2.3522,
      at: '2026-11-21T10:00:00.000Z',
      timezone: 'Europe/Paris',
      alternatives: [],
      utc_offset: '+01:00',
      utc_offset_seconds: 3600,
      abbreviation: 'CET',
      dst: false,
      dst_offset_seconds: 0,
      next_transition: {
        at: '2027-03-28T01:00:00.000Z',
        utc_offset: '+02:00',
        utc_offset_seconds: 7200,
        abbreviation: 'CEST',
        dst: true,
      },
      local_time: '2026-11-21T11:00:00+01:00',
      approximate: true,
      note: null,
      attribution: ATTRIBUTION,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 4096, timeoutMs: 10_000 },
  check: ({ at }) =>
    at === undefined || readInstant(at)
      ? []
      : [{ parameter: 'at', detail: 'must be an instant such as 2026-07-01T12:00Z, from 1970 to 2100' }],
  async handle({ input: args, ports, signal, now }: Call<Input, UtilityPorts, Address>) {
    const { at: requested, ...degrees } = args
    const [lat, lon] = [providedValue(degrees, LAT), providedValue(degrees, LON)]
    const at = (requested === undefined ? null : readInstant(requested)) ?? now
    const seconds = Math.floor(at.getTime() / 1000)
    return json({
      lat,
      lon,
      at: at.toISOString(),
      ...(await ports.workers.run(place, { lat, lon, seconds }, signal)),
      approximate: true as const,
      attribution: ATTRIBUTION,
      ts: now.toISOString(),
    })
  },
})

/** Parses an instant of the years 1970 to 2100 (ISO 8601 with Z or an offset); null if invalid. */
function readInstant(text: string): Date | null {
  const match = FORM.exec(text)
  if (!match) return null
  const [, year, month, day] = match.map(Number)
  // Date parses the 30th of February as a day of March.
  const daysOfMonth = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate()
  if ((day ?? 0) > daysOfMonth) return null
  const instant = new Date(
    text
      .toUpperCase()
      .replace(' ', '+')
      .replace(/([+-]\d{2})(\d{2})$/, '$1:$2'),
  )
  const isWithin = instant.getTime() >= 0 && instant.getUTCFullYear() <= 2100
  return isWithin ? instant : null
}

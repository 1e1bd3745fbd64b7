import { Resvg } from '@resvg/resvg-js'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { geo } from '@tollbook/utility/endpoints/api/geo/endpoint'
import { iconGenerate } from '@tollbook/utility/endpoints/api/icon/generate/endpoint'
import { iconSearch } from '@tollbook/utility/endpoints/api/icon/search/endpoint'
import { timezone } from '@tollbook/utility/endpoints/api/timezone/endpoint'
import { loadIconIndex } from '@tollbook/utility/engines/icons/icon-index'
import { findPackagedSets } from '@tollbook/utility/geo/data-set'
import { openGeoData } from '@tollbook/utility/geo/geo-data'
import { createWorkerPool, type WorkerPool } from '@tollbook/workers/pool'
import { find } from 'geo-tz/all'
import { open } from 'maxmind'
import type { Benchmark } from './benchmark.ts'
import { runContest, timed } from './utility/contest.ts'

type Options = { readonly workers: WorkerPool; readonly calls: number }

/**
 * Rate of sequential calls that look up time zones and addresses and that draw icons, next to the bare
 * libraries.
 */
export const places: Benchmark = {
  name: 'places',
  summary: 'calls per second for time zones, places of addresses and icons, against bare libraries',
  async run({ isQuick }) {
    const workers = createWorkerPool({ threads: 1 })
    const options = { workers, calls: isQuick ? 100 : 1_000 }
    try {
      await runTimezones(options)
      await runAddresses(options)
      await runIcons(options)
    } finally {
      await workers.close()
    }
  },
}

/** Configured as in the endpoint: searching for fonts would take most of the time. */
const PLAIN = { font: { loadSystemFonts: false } }

async function runTimezones({ workers, calls }: Options): Promise<void> {
  const next = createDice()
  const items = Array.from({ length: calls }, () => ({ lat: next() * 130 - 60, lon: next() * 360 - 180 }))
  await runContest({
    figure: '/api/timezone, places anywhere',
    unit: 'calls/s',
    items,
    ours: timed((place) => runEndpoint(timezone, place, { ports: { workers } })),
    peer: {
      name: 'geo-tz 8.1.9 in this thread, names alone',
      side: timed(({ lat, lon }) => find(lat, lon)),
    },
  })
}

async function runAddresses({ calls }: Options): Promise<void> {
  const set = findPackagedSets().find(({ family }) => family === 4)
  if (!set) throw new Error('no file with addresses is installed')
  const reader = await open<object>(set.path)
  const locate = await openGeoData({ files: [], attribution: null })
  const next = createDice()
  // Only addresses that are in the file, since others are rejected.
  const items: string[] = []
  while (items.length < calls) {
    const ip = [1 + next() * 222, next() * 256, next() * 256, 1 + next() * 254].map(Math.floor).join('.')
    const { bogon } = await runEndpoint(geo, { ip }, { ports: { locate } }).catch(() => ({ bogon: true }))
    if (!bogon) items.push(ip)
  }
  await runContest({
    figure: '/api/geo, IPv4 addresses',
    unit: 'calls/s',
    items,
    ours: timed((ip) => runEndpoint(geo, { ip }, { ports: { locate } })),
    peer: {
      name: 'maxmind 5.0.7 in this thread, the record alone',
      side: timed((ip) => reader.get(ip)),
    },
    setting: { file: set.name ?? '' },
  })
}

async function runIcons({ workers, calls }: Options): Promise<void> {
  const { icons } = await loadIconIndex()
  const terms = icons.flatMap((icon) => icon.terms)
  const queries = Array.from({ length: calls }, (_, at) => terms[(at * 37) % terms.length] ?? 'gear')
  await runContest({
    figure: '/api/icon/search, terms of the set',
    unit: 'calls/s',
    items: queries,
    ours: timed((q) => runEndpoint(iconSearch, { q }, { ports: { workers } })),
    peer: null,
  })
  const solid = icons.filter(({ styles }) => styles.includes('solid'))
  const names = Array.from(
    { length: Math.ceil(calls / 10) },
    (_, at) => solid[(at * 37) % solid.length]?.name,
  )
  const ask = (icon: string | undefined) => runEndpoint(iconGenerate, { icon }, { ports: { workers } })
  const documents = new Map<string | undefined, string>()
  for (const name of names) documents.set(name, (await ask(name)).svg)
  await runContest({
    figure: '/api/icon/generate, SVG and PNG of 512 pixels',
    unit: 'calls/s',
    items: names,
    ours: timed(ask),
    peer: {
      name: 'resvg 2.6.2 in this thread, from the finished SVG to PNG',
      side: timed((name) => new Resvg(documents.get(name) ?? '', PLAIN).render().asPng()),
    },
  })
}

/** Numbers from 0 to 1, the same in every run (Numerical Recipes, section 7.1). */
function createDice(): () => number {
  let state = 1
  return () => {
    state = (1_664_525 * state + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

import { readFile } from 'node:fs/promises'
import { readZone, type Zone } from './zone.ts'

/** Returns a zone by any name in the tz database; null if there is no such zone. */
export type ZoneTable = {
  readonly names: readonly string[]
  find(name: string): Zone | null
}

let loaded: Promise<ZoneTable> | undefined

/** Reads the table on first use, and parses each zone on first use. */
export function loadZoneTable(): Promise<ZoneTable> {
  loaded ??= readTable()
  return loaded
}

async function readTable(): Promise<ZoneTable> {
  const lines = await readDataLines('zones.txt')
  const texts = new Map<string, string>()
  for (const line of lines) {
    const [names = ''] = line.split('|', 1)
    for (const name of names.split(' ')) texts.set(name, line.slice(names.length + 1))
  }
  const zones = new Map<string, Zone>()
  return {
    names: [...texts.keys()],
    find(name) {
      const text = texts.get(name)
      if (text === undefined) return null
      const zone = zones.get(name) ?? readZone(text)
      zones.set(name, zone)
      return zone
    },
  }
}

/** The lines of a file of data/, without the comment at its head. */
export async function readDataLines(file: string): Promise<readonly string[]> {
  const text = await readFile(new URL(`data/${file}`, import.meta.url), 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

import { YEAR } from './has-date.ts'
import type { Question } from './read-question.ts'
import { contentFormsOf, formsOf, withoutTerms } from './same-words.ts'

const NUMBER =
  /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|fifty|sixty|dozens?|hundreds?|thousands?|millions?|billions?|once|twice|daily|weekly|monthly|yearly|half|every|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b/i
/** What a measure is given in. */
const LENGTH =
  /\d\s?(?:m|km|cm|mm|ft|in|mi|metres?|meters?|kilometres?|kilometers?|feet|foot|inch(?:es)?|miles?|yards?|Meter|Kilometer)\b|\d['′]/
const AREA =
  /\d\s?(?:square|sq|acres?|hectares?|ha\b|km²|km2|m²)|\d[\d,.]{3}.{0,12}\b(?:people|inhabitants|residents)\b|\bpopulation\b.{0,40}\d/
const DURATION =
  /(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|half an?))[\s-](?:to \w+ )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|centur(?:y|ies)|Sekunden|Minuten|Stunden|Tage|Wochen|Monate|Jahre)\b/
const WEIGHT = /\d\s?(?:kg|g|lbs?|pounds|tons?|tonnes?|grams?|kilograms?)\b/
const SPEED = /\d\s?(?:km\/h|mph|m\/s|knots|miles|kilomet)/
const HEAT = /\d\s?(?:°|degrees|K\b)/
const MEASURES: Readonly<Record<string, RegExp>> = {
  tall: LENGTH,
  high: LENGTH,
  far: LENGTH,
  deep: LENGTH,
  wide: LENGTH,
  long: new RegExp(`${LENGTH.source}|${DURATION.source}`),
  old: new RegExp(`${DURATION.source}|\\b(?:aged|age of) \\d|\\bborn\\b`),
  fast: SPEED,
  heavy: WEIGHT,
  hot: HEAT,
  cold: HEAT,
  often: /\b(?:every|times|once|twice|daily|weekly|monthly|yearly|annually|hourly)\b/,
  temperature: HEAT,
  height: LENGTH,
  length: LENGTH,
  weight: WEIGHT,
  speed: SPEED,
  big: AREA,
  large: AREA,
  size: AREA,
  population: /\bpopulation\b.{0,40}\d[\d,.]{3}|\d[\d,.]{3}.{0,12}\b(?:people|inhabitants|residents)\b/,
  percentage: /%|percent/,
  percent: /%|percent/,
  much: /[$€£¥]\s?\d|\d\s?(?:%|percent|[$€£]|dollars|euros|pounds|cents?|kg|g|mg|l|ml|litres?|liters?|tons?|tonnes|grams?|million|billion)\b/,
}

export function hasMeasure({ aspect, focus }: Question, sentence: string): boolean {
  if (aspect === 'population') return MEASURES.population?.test(sentence) === true
  const rest = withoutTerms(sentence, focus).replaceAll(new RegExp(YEAR, 'g'), '')
  return (MEASURES[aspect ?? ''] ?? NUMBER).test(rest)
}

/** The number is before what is counted: "168 lives", "eight associate justices". */
export function hasCount({ counted, focus }: Question, sentence: string): boolean {
  const [first, ...more] = contentFormsOf(counted ?? '')
  const known = new Set(formsOf(focus))
  const words = sentence.split(/\s+/)
  return words.some((word, at) => {
    if (first === undefined || !formsOf(word).includes(first)) return false
    const near = words.slice(Math.max(0, at - 3), at)
    const after = new Set(formsOf(words.slice(at, at + 6).join(' ')))
    if (!more.every((form) => after.has(form))) return false
    // Only some of them.
    if (/^(?:–|—|who|that|which|whose)$/.test(words[at + 1] ?? '')) return false
    // "2 mm pin" counts no pins, and "26th President" no presidents.
    if (
      near.some((before) =>
        /^(?:mm|cm|m|km|kg|g|%|percent|bit|inch|volts?|another|additional|other|remaining)$|[,;:)]$/i.test(
          before,
        ),
      )
    )
      return false
    return near.some(
      (before) =>
        NUMBER.test(before) &&
        !/\d(?:st|nd|rd|th)\b|[-–]$|[-–](?:minute|hour|day|week|month|year|time|part)/.test(before) &&
        !formsOf(before).some((form) => known.has(form)),
    )
  })
}

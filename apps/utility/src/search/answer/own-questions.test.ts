import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeAnswer } from '../compose-answer.ts'

/** Each question is asked of all pages. */
const PAGES: Readonly<Record<string, string>> = {
  'x402 – Tollbook': `x402 is a protocol for payments over HTTP. x402 was published by Coinbase in May 2025. A server answers 402 with its requirements, and the client sends a signed authorization. A refused call is never charged.`,
  'Base – Tollbook': `Base is a layer 2 of Ethereum that was launched in August 2023. Base produces a block every two seconds. Base is not a company, and it has no token of its own.`,
  'Search – Tollbook': `A search costs $0.01. The index holds the newest 100,000 pages. After five failures an upstream is skipped for 15 seconds. Searches without results are not charged.`,
  'Ann Lee': `Ann Lee (1 May 1901 – 2 June 1980) was a Danish painter. She was born in Aarhus in a house near the harbour. Lee painted “The Quay” in 1932. Her brother Carl Lee wrote two novels.`,
  'The Quay (painting)': `The Quay is a painting by Ann Lee. It is 2.4 m wide. The Quay has been in the Harbour Museum since 1951.`,
  'Harbour Museum': `The Harbour Museum is a museum in Aarhus, Denmark. The museum has 14 rooms and about 3,000 paintings. It was opened by Queen Ingrid in 1949. The museum closes on Mondays. In 1987 a fire destroyed three rooms because a heater had been left on.`,
  'Ibuprofen – leaflet': `Ibuprofen is a medicine against pain and fever. Ibuprofen is not recommended during pregnancy. Adults take 400 mg every six hours. Do not take ibuprofen with alcohol.`,
  'Paracetamol – leaflet': `Paracetamol is a medicine against pain. Paracetamol is safe during pregnancy at the usual dose. More than 4 g a day damage the liver.`,
  'Rye bread – recipes': `Rye bread is made from rye flour, water and salt. Bake the rye bread for 50 minutes at 220 °C. Rye bread keeps for a week. Many people think that rye bread is the best bread.`,
  'Tides – school': `Tides are caused by the gravity of the moon and the sun. A spring tide is a tide with a large range. Spring tides occur twice a month. Tides are higher in funnel-shaped bays.`,
  'Mayor of Aarhus': `The mayor of Aarhus is elected every four years. Jacob Bundsgaard was the mayor of Aarhus from 2011 to 2023. In 2023 Anders Winnerskjold became the mayor of Aarhus.`,
  'Turm von Aarhus': `Der Turm ist 60 Meter hoch. Der Turm wurde 1889 eröffnet. Der Architekt des Turms ist nicht bekannt.`,
}

/** What people type, and what the answer has to contain; null if none may be given. */
const QUESTIONS: readonly (readonly [query: string, answer: RegExp | null])[] = [
  ['what is x402', /protocol for payments/],
  ['who published x402', /Coinbase/],
  ['when was x402 published', /May 2025/],
  ['what is x402 price today', null],
  ['what is base', /layer 2 of Ethereum/],
  ['when was base launched', /August 2023/],
  ['how often does base produce a block', /two seconds/],
  ['Base produces a block every how many seconds?', /two seconds/],
  ['does base have a token?', /no token/],
  ['who launched base', null],
  ['base vs optimism which is better', null],
  ['how much does a search cost', /\$0\.01/],
  ['how many pages does the index hold', /100,000/],
  ['how much does a summary cost', null],
  ['are searches without results charged', /not charged/],
  ['when was Ann Lee born?', /1 May 1901/],
  ['when did ann lee die', /2 June 1980/],
  ['where was ann lee born', null],
  ['who is ann lee', /Danish painter/],
  ['who painted the quay', /Ann Lee|Lee painted/],
  ['when was the quay painted', /1932/],
  ['who wrote the quay', null],
  ['how many novels did carl lee write', /two novels/],
  ['how wide is the quay', null],
  ['where is the harbour museum', /Aarhus, Denmark/],
  ['how many rooms does the museum have', /14 rooms/],
  ['how many visitors does the harbour museum have', null],
  ['who opened the harbour museum', null],
  ['what year was the harbour museum opened', null],
  ['is the harbour museum open on mondays', null],
  ['why did the fire destroy three rooms', /heater/],
  ['is ibuprofen safe during pregnancy', /Ibuprofen is not recommended/],
  ['is paracetamol safe during pregnancy?', /Paracetamol is safe/],
  ['can i take ibuprofen with alcohol', /Do not take ibuprofen/],
  ['what is ibuprofen', /medicine against pain and fever/],
  ['who invented ibuprofen', null],
  ['side effects of ibuprofen', null],
  ['what is rye bread made of', /rye flour, water and salt/],
  ['what is the best bread', null],
  ['how hot is the sun', null],
  ['what causes tides', /gravity of the moon/],
  ['what is a spring tide', /large range/],
  ['how often do spring tides occur', /twice a month/],
  ['list of spring tides 2027', null],
  ['how high are tides in the bay of fundy', null],
  ['who is the mayor of aarhus', /2023 Anders Winnerskjold/],
  ['who was the mayor of aarhus in 1995', null],
  ['who was the first mayor of aarhus', null],
  ['Wie hoch ist der Turm?', /60 Meter/],
  ['Wann wurde der Turm eröffnet?', /1889/],
  ['what is the weather in aarhus tomorrow', null],
]

test('questions as people type them are answered with a sentence that answers them, or not at all', () => {
  assert.equal(QUESTIONS.length, 51)
  const hits = Object.entries(PAGES).map(([title, content]) => ({
    title,
    content,
    url: 'https://a.example/',
    score: 0.9,
    publishedDate: null,
    favicon: null,
  }))
  for (const [query, expected] of QUESTIONS) {
    const answer = composeAnswer({ query, hits })?.text ?? null
    if (expected === null) assert.equal(answer, null, query)
    else assert.match(answer ?? 'no answer', expected, query)
  }
})

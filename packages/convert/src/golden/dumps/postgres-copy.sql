--
-- PostgreSQL database dump
--

\restrict 3RhWRIPSIr0ImmRa2LS1B9a6JueCbmNlAllxMAlRikReuATUjiWf6mQGSom3tcR

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: shop; Type: SCHEMA; Schema: -; Owner: tester
--

CREATE SCHEMA shop;


ALTER SCHEMA shop OWNER TO tester;

--
-- Name: mood; Type: TYPE; Schema: shop; Owner: tester
--

CREATE TYPE shop.mood AS ENUM (
    'fine',
    'bad; sad'
);


ALTER TYPE shop.mood OWNER TO tester;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: empty; Type: TABLE; Schema: public; Owner: tester
--

CREATE TABLE public.empty (
    x integer
);


ALTER TABLE public.empty OWNER TO tester;

--
-- Name: add_one(); Type: FUNCTION; Schema: public; Owner: tester
--

CREATE FUNCTION public.add_one() RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO public.empty (x)
   VALUES (1);
 INSERT INTO public.empty (x)
   VALUES (2);
END;


ALTER FUNCTION public.add_one() OWNER TO tester;

--
-- Name: fill(); Type: FUNCTION; Schema: shop; Owner: tester
--

CREATE FUNCTION shop.fill() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
  INSERT INTO empty VALUES (1); RETURN NEW; END; $$;


ALTER FUNCTION shop.fill() OWNER TO tester;

--
-- Name: notes; Type: TABLE; Schema: public; Owner: tester
--

CREATE TABLE public.notes (
    id bigint NOT NULL,
    body text,
    length integer GENERATED ALWAYS AS (length(body)) STORED
);


ALTER TABLE public.notes OWNER TO tester;

--
-- Name: notes_id_seq; Type: SEQUENCE; Schema: public; Owner: tester
--

ALTER TABLE public.notes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.notes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: Order Lines; Type: TABLE; Schema: shop; Owner: tester
--

CREATE TABLE shop."Order Lines" (
    id integer NOT NULL,
    price numeric(12,2),
    big numeric,
    ratio double precision,
    paid boolean NOT NULL,
    meta jsonb,
    raw bytea,
    at timestamp with time zone,
    tags text[],
    how shop.mood,
    bits bit(3),
    CONSTRAINT "Order Lines_price_check" CHECK ((price < '1000000'::numeric))
);


ALTER TABLE shop."Order Lines" OWNER TO tester;

--
-- Data for Name: empty; Type: TABLE DATA; Schema: public; Owner: tester
--

COPY public.empty (x) FROM stdin;
\.


--
-- Data for Name: notes; Type: TABLE DATA; Schema: public; Owner: tester
--

COPY public.notes (id, body) FROM stdin;
1	it's
2	say "hi"
3	C:\\temp\\new
4	line one\nline two\r\nend
5	tab\there
6	semi;colon -- no comment
7	/* none */ # either
8	emoji 😀 naïve
9	
10	NULL
11	'); DROP TABLE notes; --
12	\\N
\.


--
-- Data for Name: Order Lines; Type: TABLE DATA; Schema: shop; Owner: tester
--

COPY shop."Order Lines" (id, price, big, ratio, paid, meta, raw, at, tags, how, bits) FROM stdin;
1	1.10	123456789012345678901234567890.5	NaN	t	{"a": [1, {"b": "it's"}], "n": 1.50}	\\x00ff10	2026-11-21 10:00:00+00	{"a b",c}	bad; sad	101
2	-0.50	\N	1e-07	f	null	\\x	\N	{}	\N	010
\.


--
-- Name: notes_id_seq; Type: SEQUENCE SET; Schema: public; Owner: tester
--

SELECT pg_catalog.setval('public.notes_id_seq', 12, true);


--
-- Name: Order Lines Order Lines_pkey; Type: CONSTRAINT; Schema: shop; Owner: tester
--

ALTER TABLE ONLY shop."Order Lines"
    ADD CONSTRAINT "Order Lines_pkey" PRIMARY KEY (id);


--
-- PostgreSQL database dump complete
--

\unrestrict 3RhWRIPSIr0ImmRa2LS1B9a6JueCbmNlAllxMAlRikReuATUjiWf6mQGSom3tcR


--
-- PostgreSQL database dump
--

\restrict 0oHm3R1mzIKkRinoeoZnphfe4a4ds5butRo1uKe7OfjwBRfQHunD1kQTRocLdTf

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



--
-- Data for Name: notes; Type: TABLE DATA; Schema: public; Owner: tester
--

INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (1, 'it''s', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (2, 'say "hi"', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (3, 'C:\temp\new', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (4, 'line one
line two
end', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (5, 'tab	here', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (6, 'semi;colon -- no comment', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (7, '/* none */ # either', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (8, 'emoji 😀 naïve', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (9, '', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (10, 'NULL', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (11, '''); DROP TABLE notes; --', DEFAULT);
INSERT INTO public.notes OVERRIDING SYSTEM VALUE VALUES (12, '\N', DEFAULT);


--
-- Data for Name: Order Lines; Type: TABLE DATA; Schema: shop; Owner: tester
--

INSERT INTO shop."Order Lines" VALUES (1, 1.10, 123456789012345678901234567890.5, 'NaN', true, '{"a": [1, {"b": "it''s"}], "n": 1.50}', '\x00ff10', '2026-11-21 10:00:00+00', '{"a b",c}', 'bad; sad', B'101');
INSERT INTO shop."Order Lines" VALUES (2, -0.50, NULL, 1e-07, false, 'null', '\x', NULL, '{}', NULL, B'010');


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

\unrestrict 0oHm3R1mzIKkRinoeoZnphfe4a4ds5butRo1uKe7OfjwBRfQHunD1kQTRocLdTf


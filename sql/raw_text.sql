-- Asks for text as it is stored, in whatever encoding, until the end of the transaction. One row.
-- No parameters. Any server from 13 on. Sessions and names of other databases may hold bytes that
-- the connected database's encoding has no conversion for.
SELECT pg_catalog.set_config('client_encoding', 'SQL_ASCII', true) AS client_encoding;

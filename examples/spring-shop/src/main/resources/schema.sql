create table if not exists stock (item varchar(50) primary key, pieces int not null, fence bigint not null default 0);
create table if not exists sale (item varchar(50) not null, customer varchar(50) not null, token bigint not null);
